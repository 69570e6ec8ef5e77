# Labs: programs and libraries in which a student's files replace files of the framework.
#
# Each folder of exercises/ has a lab.json that lists the files of the framework which the
# lab replaces. Those in Python are the lab tool's (python/minitf_lab/python_units.py). For
# those in C++, the same test cases are linked with four versions of these files:
#
#   lab_04_reference_test   the framework's own
#   lab_04_starter_test     exercises/04_gradients, as it is handed out
#   lab_04_test             work/04_gradients, the student's; only after `./lab start 04`
#   lab_04_fault_test       BUILD/labs/04_gradients/fault, where `./lab faults 04` puts
#                           one wrong answer after another
#
# No object of the framework is compiled twice. None of these programs is built by default.

# Sets `out` to `objects` without those of `units`, paths such as minitf/tensor/tensor.cc.
function(minitf_without out objects units)
  foreach(unit IN LISTS units)
    string(REPLACE "." "\\." pattern "${unit}")
    set(objects "$<FILTER:${objects},EXCLUDE,/${pattern}\\.o$>")
  endforeach()
  set(${out} "${objects}" PARENT_SCOPE)
endfunction()

# Adds the test program `target`: the cases of lab `number`, with the files of `folder`
# in place of `units`. Sets `lab_sources` to these files.
function(minitf_lab_program target number folder units)
  minitf_without(objects "${minitf_all_objects}" "${units}")
  set(sources "")
  foreach(unit IN LISTS units)
    cmake_path(GET unit FILENAME name)
    list(APPEND sources ${folder}/${name})
  endforeach()
  if(sources)
    # Compiled like the framework, so that its precompiled header serves here too.
    add_library(${target}_objects OBJECT EXCLUDE_FROM_ALL ${sources})
    target_link_libraries(${target}_objects PRIVATE minitf_usage)
    add_dependencies(${target}_objects minitf_protos_generated)
    set_target_properties(${target}_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_precompile_headers(${target}_objects REUSE_FROM minitf_core_objects)
    # What a task asks for is not used before it is written.
    target_compile_options(${target}_objects PRIVATE -Wno-unused)
    list(APPEND objects "$<TARGET_OBJECTS:${target}_objects>")
  endif()
  add_executable(${target} EXCLUDE_FROM_ALL
    "$<TARGET_OBJECTS:lab_${number}_cases>" "${objects}")
  target_link_libraries(${target} PRIVATE minitf_usage GTest::gtest_main)
  set_target_properties(${target} PROPERTIES
    LINKER_LANGUAGE CXX RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/labs)
  set(lab_sources "${sources}" PARENT_SCOPE)
endfunction()

function(minitf_lab folder)
  string(SUBSTRING ${folder} 0 2 number)
  file(READ ${PROJECT_SOURCE_DIR}/exercises/${folder}/lab.json manifest)
  string(JSON count LENGTH "${manifest}" files)
  math(EXPR last "${count} - 1")
  set(units "")
  foreach(i RANGE ${last})
    string(JSON unit GET "${manifest}" files ${i})
    list(APPEND units ${unit})
  endforeach()
  list(FILTER units EXCLUDE REGEX "\\.py$")
  if(NOT units)
    return()
  endif()

  # A unit that a lab replaces is an object of its own.
  list(TRANSFORM units PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE replaced)
  set_source_files_properties(${replaced} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

  set(starter ${PROJECT_SOURCE_DIR}/exercises/${folder})
  set(work ${PROJECT_SOURCE_DIR}/work/${folder})
  set(fault ${PROJECT_BINARY_DIR}/labs/${folder}/fault)
  foreach(unit IN LISTS units)
    cmake_path(GET unit FILENAME name)
    if(NOT EXISTS ${starter}/${name})
      message(WARNING "exercises/${folder}/${name} is missing: run ./lab gen")
      return()
    endif()
  endforeach()
  # A name that appears in the folder, or goes, makes CMake run again.
  file(GLOB is_started CONFIGURE_DEPENDS ${work}/*.cc)

  set(students_files "")
  foreach(unit IN LISTS units)
    cmake_path(GET unit FILENAME name)
    if(is_started)
      list(APPEND students_files ${work}/${name})
    else()
      list(APPEND students_files ${starter}/${name})
    endif()
  endforeach()
  if(number IN_LIST MINITF_LAB OR MINITF_LAB STREQUAL "all")
    minitf_without(library_sources "${library_sources}" "${units}")
    set_source_files_properties(${students_files} PROPERTIES COMPILE_OPTIONS -Wno-unused)
    set(library_sources "${library_sources};${students_files}" PARENT_SCOPE)
  endif()

  if(NOT MINITF_TESTS)
    return()
  endif()
  add_library(lab_${number}_cases OBJECT EXCLUDE_FROM_ALL
    ${PROJECT_SOURCE_DIR}/tests/labs/${folder}_test.cc)
  set_target_properties(lab_${number}_cases PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(lab_${number}_cases PRIVATE minitf_usage GTest::gtest)

  minitf_lab_program(lab_${number}_reference_test ${number} "" "")
  minitf_lab_program(lab_${number}_starter_test ${number} ${starter} "${units}")
  target_compile_options(lab_${number}_starter_test_objects PRIVATE -Werror)
  minitf_lab_program(lab_${number}_fault_test ${number} ${fault} "${units}")
  set_source_files_properties(${lab_sources} PROPERTIES GENERATED ON)  # by ./lab faults
  if(is_started)
    minitf_lab_program(lab_${number}_test ${number} ${work} "${units}")
  endif()
endfunction()

file(GLOB manifests RELATIVE ${PROJECT_SOURCE_DIR}/exercises CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/exercises/*/lab.json)
foreach(manifest IN LISTS manifests)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
               ${PROJECT_SOURCE_DIR}/exercises/${manifest})
  cmake_path(GET manifest PARENT_PATH folder)
  minitf_lab(${folder})
endforeach()
