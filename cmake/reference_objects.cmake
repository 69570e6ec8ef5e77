# Files of labs that are handed out compiled (./lab course release).
#
# A repository for students lacks the source of labs that are still to come. In place of
# minitf/tensor/shape.cc it has objects/release/minitf/tensor/shape.cc.o, and the same in
# objects/tsan/ for the thread sanitizer. objects/objects.json says what they were made
# for.
#
#   minitf_reference_objects    these objects; none if all sources are here

set(minitf_reference_objects "")

# Ends with a sentence unless the objects fit this machine and its libraries.
function(minitf_check_reference_objects)
  file(READ ${PROJECT_SOURCE_DIR}/objects/objects.json made_for)
  foreach(fact IN ITEMS processor compiler protobuf)
    string(JSON ${fact} GET "${made_for}" ${fact})
  endforeach()
  set(why "minitf's answers to the labs that are still to come are compiled, for a")
  set(what_to_do "Use a machine with Debian 12, or ask for objects that fit yours.")
  if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux"
     OR NOT CMAKE_SYSTEM_PROCESSOR STREQUAL processor)
    message(FATAL_ERROR "${why} processor ${processor} with Linux. This is "
            "${CMAKE_SYSTEM_PROCESSOR} with ${CMAKE_SYSTEM_NAME}. ${what_to_do}")
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU"
     AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS compiler)
    message(FATAL_ERROR "${why} library of GCC ${compiler} or newer. This is GCC "
            "${CMAKE_CXX_COMPILER_VERSION}. ${what_to_do}")
  endif()
  string(REGEX MATCH "^[0-9]+\\.[0-9]+" version "${Protobuf_VERSION}")
  if(NOT version VERSION_EQUAL protobuf)
    message(FATAL_ERROR "${why} machine with protobuf ${protobuf}. This one has "
            "${Protobuf_VERSION}. ${what_to_do}")
  endif()
endfunction()

# Takes sources that are not here, and whose objects are, out of `target`.
function(minitf_take_objects target)
  set(objects ${PROJECT_SOURCE_DIR}/objects/release)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=thread")
    set(objects ${PROJECT_SOURCE_DIR}/objects/tsan)
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    set(object ${objects}/${source}.o)
    if(NOT EXISTS ${PROJECT_SOURCE_DIR}/${source} AND EXISTS ${object})
      list(REMOVE_ITEM sources ${PROJECT_SOURCE_DIR}/${source})
      list(APPEND minitf_reference_objects ${object})
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES SOURCES "${sources}")
  set(minitf_reference_objects ${minitf_reference_objects} PARENT_SCOPE)
endfunction()

if(EXISTS ${PROJECT_SOURCE_DIR}/objects/objects.json)
  minitf_check_reference_objects()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
               ${PROJECT_SOURCE_DIR}/objects/objects.json)
  minitf_take_objects(minitf_core_objects)
  minitf_take_objects(minitf_kernel_objects)
endif()
