# How all C++ files are compiled: the compiler cache, flags, and files in groups.
#
#   minitf_usage            flags, include folders and libraries of every target
#   minitf_is_sanitized     whether the compiler adds a sanitizer to the code
#   minitf_object_library   adds a library of objects
#   minitf_in_groups        compiles the files of a target in groups
#   minitf_in_rooms         does so for a target with many rooms

# ccache accepts a precompiled header only with the first two settings; see its manual.
# DEPEND makes ccache compare the included files byte by byte. Without DEPEND ccache compares
# the output of the preprocessor, which a change of a comment leaves as it was. GCC would then
# refuse the precompiled header with the old comment and include the new header as well.
# The namespace excludes entries that were stored without DEPEND.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
      CCACHE_NAMESPACE=minitf-depend ${CCACHE_PROGRAM})
endif()

# Programs and modules are not linked again when a shared library of theirs changes. An edit
# of a kernel therefore compiles one file and links one library.
set(CMAKE_LINK_DEPENDS_NO_SHARED ON)

add_library(minitf_usage INTERFACE)
target_compile_features(minitf_usage INTERFACE cxx_std_20)
target_compile_options(minitf_usage INTERFACE
  -Wall -Wextra
  # GCC collects its garbage less often: a tenth of the time for a tenth more memory.
  $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=524288>
  # GCC 12 warns about vectors that its own AVX-512 headers leave unset on purpose. Without
  # AVX-512 GCC warns that functions pass vectors of 64 bytes in another way; all files here
  # are compiled alike.
  "$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-uninitialized;-Wno-psabi>"
  $<$<BOOL:${MINITF_NATIVE}>:-march=native>
  $<$<BOOL:${MINITF_WERROR}>:-Werror>)
# Highway 1.0.3 does not compile where -march=native allows the newest of its targets. The
# kernels need nothing beyond HWY_AVX3.
target_compile_definitions(minitf_usage INTERFACE HWY_DISABLED_TARGETS=HWY_AVX3_DL)
target_include_directories(minitf_usage INTERFACE ${PROJECT_SOURCE_DIR})
# SYSTEM: the compiler does not warn about the headers of Eigen and protobuf.
target_include_directories(minitf_usage SYSTEM INTERFACE
  $<TARGET_PROPERTY:Eigen3::Eigen,INTERFACE_INCLUDE_DIRECTORIES>
  ${PROJECT_BINARY_DIR}/protos)
target_link_libraries(minitf_usage INTERFACE
  protobuf::libprotobuf Threads::Threads ZLIB::ZLIB)

# The emulator of GPUs replaces hooks that a sanitizer calls: a build has one or the other.
set(minitf_is_sanitized OFF)
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  set(minitf_is_sanitized ON)
endif()

# Under the thread sanitizer protobuf's headers give maps two more fields, which Debian's
# library lacks. Only the C++ library learns that the sanitizer is on.
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=thread")
  add_compile_options(-U__SANITIZE_THREAD__)
  add_compile_definitions(_GLIBCXX_TSAN=1 MINITF_TSAN)
endif()

# Adds a library of objects. The linker drops no object of such a library for looking unused,
# and registrations at file scope look unused. A lab can also replace some of the objects.
function(minitf_object_library name)
  add_library(${name} OBJECT)
  target_link_libraries(${name} PUBLIC minitf_usage)
  add_dependencies(${name} minitf_protos_generated)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()

# Compiles the files of `target` in groups of `size`, each group as one file. A header is
# then compiled once for a group. Names at file scope must differ within a group.
function(minitf_in_groups target size)
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ${MINITF_UNITY} UNITY_BUILD_BATCH_SIZE ${size})
endfunction()

# Does the same for a target with many rooms; a group lies in one room. A room is a layer in
# minitf/, a family in minitf/contrib/, or a folder in kernels/cpu/. A file that has a group
# already stays there.
function(minitf_in_rooms target size)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    get_source_file_property(group ${source} TARGET_DIRECTORY ${target} UNITY_GROUP)
    if(group)
      continue()
    endif()
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    string(REGEX MATCH "^((minitf/contrib|minitf|kernels/cpu)/[^/]+)/" folder ${source})
    string(REPLACE "/" "_" room ${CMAKE_MATCH_1})
    list(APPEND members_${room} ${source})
    list(LENGTH members_${room} count)
    math(EXPR group "(${count} - 1) / ${size}")
    set_source_files_properties(${PROJECT_SOURCE_DIR}/${source}
      TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${room}_${group})
  endforeach()
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ${MINITF_UNITY} UNITY_BUILD_MODE GROUP)
endfunction()
