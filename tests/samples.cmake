# SPDX-License-Identifier: MIT
# Every sample is run, on the simulated device; of bench, which wants a GPU, the command line.
add_test(NAME quickstart COMMAND quickstart)
add_test(NAME samples COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/test_samples.sh $<TARGET_FILE_DIR:sort_numbers>)
set_tests_properties(quickstart samples PROPERTIES LABELS "samples;simulated" TIMEOUT 300
                     ENVIRONMENT CDPSORT_DEVICE=simulated)
