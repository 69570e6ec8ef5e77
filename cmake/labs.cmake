# Labs: files of students in place of files of the framework.
#
# Each folder of exercises/ has a lab.json that lists the files of the framework which the
# lab replaces. These files are a group, whose object can be left out. What tests an answer
# compiles and links by itself (python/minitf_lab/judge/variant.py); here is how the library
# is built with answers in it: -DMINITF_LAB=04.

# Sets `out` to `objects` without those of `units`, paths such as minitf/tensor/tensor.cc,
# which lie in the group called `group` if there are groups.
function(minitf_without out objects group units)
  set(objects "$<FILTER:${objects},EXCLUDE,/unity_${group}_cxx\\.cxx\\.o$>")
  foreach(unit IN LISTS units)
    string(REPLACE "." "\\." pattern "${unit}")
    set(objects "$<FILTER:${objects},EXCLUDE,/${pattern}\\.o$>")
  endforeach()
  set(${out} "${objects}" PARENT_SCOPE)
endfunction()

# Takes the files of a lab that match `pattern` and do not belong to libminitf.so. The list
# minitf_KIND_units gets them. If MINITF_LAB names the lab, minitf_KIND_answers gets the
# files that are compiled in their place.
macro(minitf_lab_apart folder kind pattern units)
  set(chosen ${units})
  list(FILTER chosen INCLUDE REGEX "${pattern}")
  list(APPEND minitf_${kind}_units ${chosen})
  set(answers ${PROJECT_SOURCE_DIR}/exercises/${folder})
  file(GLOB is_started CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/work/${folder}/*.c[cu])
  if(is_started)
    set(answers ${PROJECT_SOURCE_DIR}/work/${folder})
  endif()
  if(number IN_LIST lab_numbers OR "all" IN_LIST lab_numbers)
    foreach(unit IN LISTS chosen)
      cmake_path(GET unit FILENAME name)
      list(APPEND minitf_${kind}_answers ${answers}/${name})
    endforeach()
  endif()
  set(minitf_${kind}_units ${minitf_${kind}_units} PARENT_SCOPE)
  set(minitf_${kind}_answers ${minitf_${kind}_answers} PARENT_SCOPE)
endmacro()

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
  minitf_lab_apart(${folder} cuda "\\.cu$" "${units}")
  minitf_lab_apart(${folder} binding "^python/bindings/" "${units}")
  list(FILTER units EXCLUDE REGEX "\\.(py|cu)$|^python/bindings/")
  if(NOT units)
    return()
  endif()

  list(TRANSFORM units PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE replaced)
  set_source_files_properties(${replaced}
    TARGET_DIRECTORY minitf_core_objects PROPERTIES UNITY_GROUP lab_${number})

  set(starter ${PROJECT_SOURCE_DIR}/exercises/${folder})
  set(work ${PROJECT_SOURCE_DIR}/work/${folder})
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
  if(number IN_LIST lab_numbers OR "all" IN_LIST lab_numbers)
    minitf_without(library_sources "${library_sources}" lab_${number} "${units}")
    set_source_files_properties(${students_files} PROPERTIES COMPILE_OPTIONS -Wno-unused)
    set(library_sources "${library_sources};${students_files}" PARENT_SCOPE)
  endif()
endfunction()

# Sets `out` to the numbers, such as 04, of the labs in `names`, such as 4 or 04_gradients.
function(minitf_lab_numbers out names)
  set(numbers "")
  foreach(name IN LISTS names)
    string(REGEX REPLACE "^([0-9])$" "0\\1" number "${name}")
    file(GLOB folders ${PROJECT_SOURCE_DIR}/exercises/${number}_*/lab.json
         ${PROJECT_SOURCE_DIR}/exercises/${name}/lab.json)
    if(NOT name STREQUAL "all" AND NOT folders)
      message(FATAL_ERROR "MINITF_LAB: there is no lab ${name}; exercises/ has them all")
    endif()
    string(REGEX REPLACE "^([0-9][0-9])_.*" "\\1" number "${number}")
    list(APPEND numbers ${number})
  endforeach()
  set(${out} "${numbers}" PARENT_SCOPE)
endfunction()

minitf_lab_numbers(lab_numbers "${MINITF_LAB}")
file(GLOB manifests RELATIVE ${PROJECT_SOURCE_DIR}/exercises CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/exercises/*/lab.json)
foreach(manifest IN LISTS manifests)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
               ${PROJECT_SOURCE_DIR}/exercises/${manifest})
  cmake_path(GET manifest PARENT_PATH folder)
  minitf_lab(${folder})
endforeach()

# What cases of a lab call in C++: the Python module lab_NN_driver, of the files in
# tests/labs/NN_name that end in .cc. It finds the library that is loaded already, a
# student's or ours. The driver of a lab in CUDA knows that lab's library alone.
function(minitf_lab_drivers)
  file(GLOB drivers RELATIVE ${PROJECT_SOURCE_DIR}/tests/labs CONFIGURE_DEPENDS
       ${PROJECT_SOURCE_DIR}/tests/labs/*/driver.cc)
  foreach(driver IN LISTS drivers)
    string(SUBSTRING ${driver} 0 2 number)
    set(target lab_${number}_driver)
    cmake_path(GET driver PARENT_PATH folder)
    file(READ ${PROJECT_SOURCE_DIR}/exercises/${folder}/lab.json manifest)
    if(manifest MATCHES "\\.cu\"")
      minitf_cuda_driver(${target} ${folder})
      continue()
    endif()
    pybind11_add_module(${target} MODULE NO_EXTRAS EXCLUDE_FROM_ALL
      ${PROJECT_SOURCE_DIR}/tests/labs/${driver} ${minitf_bridge_objects})
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests/labs)
    target_link_libraries(${target} PRIVATE minitf)
    target_precompile_headers(${target} REUSE_FROM minitf_bridge)
    # It hands on calls, and is compiled more often than it is waited for.
    target_compile_options(${target} PRIVATE -O1)
    set_target_properties(${target} PROPERTIES
      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/labs/drivers)
  endforeach()
endfunction()

function(minitf_cuda_driver target folder)
  if(NOT TARGET minitf_gpu_lab)
    return()  # a sanitizer's build
  endif()
  pybind11_add_module(${target} MODULE NO_EXTRAS EXCLUDE_FROM_ALL
    ${PROJECT_SOURCE_DIR}/tests/labs/${folder}/driver.cc)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE minitf_gpu_lab)
  target_compile_options(${target} PRIVATE -O1 -Wall -Wextra)
  set_target_properties(${target} PROPERTIES CXX_STANDARD 20
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/labs/drivers)
endfunction()
