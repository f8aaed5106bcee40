# SPDX-License-Identifier: MIT
# Every sample is run, on the simulated device; of bench and trap, which want a GPU, the command line, and trap where there is
# one: its blocks only stay a while, and are in no other test's way.
add_test(NAME quickstart COMMAND quickstart)
add_test(NAME samples COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/test_samples.sh $<TARGET_FILE_DIR:sort_numbers>)
add_test(NAME table_samples COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/test_table_samples.sh $<TARGET_FILE_DIR:distributions>)
set_tests_properties(quickstart samples table_samples PROPERTIES LABELS "samples;simulated" TIMEOUT 300
                     ENVIRONMENT CDPSORT_DEVICE=simulated)
