# SPDX-License-Identifier: MIT
# Every sample is run, on the simulated device; of those that want a GPU (12 to 14) the command line, and resident_blocks where
# there is one: its blocks only stay a while, and are in no other test's way.
add_test(NAME quickstart COMMAND quickstart)
add_test(NAME recursion_by_hand_sample COMMAND recursion_by_hand_simulated --count 2^14 --leaf 512)
add_test(NAME samples COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/test_samples.sh $<TARGET_FILE_DIR:sort_numbers>)
foreach(samples table partition recursion)
  add_test(NAME ${samples}_samples
           COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/test_${samples}_samples.sh $<TARGET_FILE_DIR:sort_numbers>)
  list(APPEND sample_tests ${samples}_samples)
endforeach()
# The guide's commands, and what it says that they print.
add_test(NAME guide_figures COMMAND python3 ${PROJECT_SOURCE_DIR}/tests/documents/check_guide.py $<TARGET_FILE_DIR:sort_numbers>)
set_tests_properties(quickstart recursion_by_hand_sample samples guide_figures ${sample_tests} PROPERTIES LABELS "samples;simulated" TIMEOUT 300
                     ENVIRONMENT CDPSORT_DEVICE=simulated)
set_tests_properties(recursion_samples PROPERTIES COST 60) # begun before shorter ones
