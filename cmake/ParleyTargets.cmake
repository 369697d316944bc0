# One library per folder, whose link list is the permitted arrows of ARCHITECTURE.md, and the test,
# fuzz and bench programs beside it.

# What a sanitizer build needs of its tests is built by these, and nothing more.
if(PARLEY_TESTS)
  add_custom_target(unit_tests)
  add_custom_target(thread_tests)
  add_custom_target(fuzzers)
  add_custom_target(benchmarks)
endif()

# `ctest -j` counts thirds of a core, of which a test takes one: most wait more than they work.
# Those that work all the time, or have a browser that does, take a core.
set(PARLEY_WHOLE_CORE 3)

# The folders with threads of their own: their tests run under the thread sanitizer as well.
set(PARLEY_THREADED_FOLDERS base store broker net client program)

set(PARLEY_SANITIZER_OPTIONS "")
if(PARLEY_SANITIZE)
  # Told of by path: Debian's runtimes look for the symbolizer of their own version alone.
  find_program(SYMBOLIZER llvm-symbolizer-19 REQUIRED)
  set(symbols ":external_symbolizer_path=${SYMBOLIZER}")
  set(PARLEY_SANITIZER_OPTIONS
    ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1${symbols}
    UBSAN_OPTIONS=print_stacktrace=1${symbols}
    TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1${symbols})
endif()

# Links folders of ours by their short names, and anything else as it is.
function(parley_link target visibility)
  foreach(link IN LISTS ARGN)
    if(TARGET parley_${link})
      set(link parley_${link})
    endif()
    target_link_libraries(${target} ${visibility} ${link})
  endforeach()
endfunction()

# What is shipped is hardened: overruns that were missed end the program instead of serving whoever
# caused them. Tests are built without, since they are not optimised.
set(PARLEY_HARDENED OFF)
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT PARLEY_SANITIZE)
  set(PARLEY_HARDENED ON)
endif()

# Tests wait on what they test, not on themselves: optimising them, or counting for libFuzzer which
# of their lines ran, only costs build time. So it does for all that waits on sockets, under a
# sanitizer: no fuzz target reaches it.
set(PARLEY_TEST_COMPILE_OPTIONS -O0)
if(PARLEY_FUZZ)
  list(APPEND PARLEY_TEST_COMPILE_OPTIONS -fno-sanitize=fuzzer-no-link)
endif()

# Several files of a target are compiled as one: most of what a compiler does, it does for what the
# files include. A name in an unnamed namespace is the target's, then, not the file's.
function(parley_join target)
  if(PARLEY_JOIN)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON
      UNITY_BUILD_BATCH_SIZE ${PARLEY_JOIN})
  endif()
endfunction()

# How what is shipped is compiled.
function(parley_harden target)
  if(PARLEY_HARDENED)
    target_compile_options(${target} PRIVATE -fstack-protector-strong
      -fstack-clash-protection -fcf-protection -D_FORTIFY_SOURCE=2)
  endif()
endfunction()

# parley_library(NAME SOURCES a.cc … LINKS other-folder-or-target …)
function(parley_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_library(parley_${name} STATIC ${ARG_SOURCES})
  target_include_directories(parley_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:include>)
  parley_link(parley_${name} PUBLIC ${ARG_LINKS})
  parley_precompile(${name} ${ARG_LINKS})
  parley_join(parley_${name})
  if(PARLEY_SANITIZE)
    if(name STREQUAL "net" OR "net" IN_LIST ARG_LINKS)
      target_compile_options(parley_${name} PRIVATE ${PARLEY_TEST_COMPILE_OPTIONS})
    endif()
  endif()
  parley_harden(parley_${name})
  if(PARLEY_LTO)
    # Machine code beside what the linker optimises: tests and other programs link as ever.
    target_compile_options(parley_${name} PRIVATE -flto=thin -ffat-lto-objects)
  endif()
endfunction()

# How a program that is shipped is linked. With PARLEY_LTO, all that is in it is optimised as one;
# what did not change since the last link is taken from there.
function(parley_ship program)
  if(PARLEY_HARDENED)
    target_link_options(${program} PRIVATE -pie -Wl,-z,relro,-z,now,-z,noexecstack)
  endif()
  if(PARLEY_LTO)
    target_link_options(${program} PRIVATE -flto=thin -Wl,--fat-lto-objects
      -Wl,--thinlto-cache-dir=${PROJECT_BINARY_DIR}/lto-cache)
  endif()
endfunction()

# Two headers are precompiled, by text and by net; every library above uses the one that it can.
function(parley_precompile name)
  if(name STREQUAL "text" OR name STREQUAL "net")
    target_precompile_headers(parley_${name} PRIVATE pch.h)
  elseif("net" IN_LIST ARGN)
    target_precompile_headers(parley_${name} REUSE_FROM parley_net)
  elseif("text" IN_LIST ARGN)
    target_precompile_headers(parley_${name} REUSE_FROM parley_text)
  endif()
endfunction()

if(PARLEY_TESTS)
  add_executable(parley_test_pch EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/support/pch_main.cc)
  target_include_directories(parley_test_pch PRIVATE
    ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(parley_test_pch PRIVATE GTest::gmock_main Boost::json fmt::fmt)
  target_precompile_headers(parley_test_pch PRIVATE ${PROJECT_SOURCE_DIR}/tests/support/pch.h)
  target_compile_options(parley_test_pch PRIVATE ${PARLEY_TEST_COMPILE_OPTIONS})
endif()

# parley_test(FOLDER SOURCES a_test.cc … [LINKS …] [TIMEOUT seconds] [COST seconds] [PARTS n]): the
# GoogleTest program FOLDER_test and one ctest entry, FOLDER, which leaves its cases in
# test-reports/FOLDER.xml. COST: what takes long begins first. PARTS: as many entries, FOLDER,
# FOLDER_2 and so on, have a share of the cases each.
function(parley_test name)
  if(NOT PARLEY_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "TIMEOUT;COST;PARTS" "SOURCES;LINKS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  if(NOT ARG_COST)
    set(ARG_COST 0)
  endif()
  if(NOT ARG_PARTS)
    set(ARG_PARTS 1)
  endif()
  set(program ${name}_test)
  add_executable(${program} ${ARG_SOURCES})
  target_link_libraries(${program} PRIVATE GTest::gmock_main parley_properties)
  if(TARGET parley_${name})
    target_link_libraries(${program} PRIVATE parley_${name})
  endif()
  parley_link(${program} PRIVATE ${ARG_LINKS})
  parley_join(${program})
  target_precompile_headers(${program} REUSE_FROM parley_test_pch)
  target_compile_options(${program} PRIVATE ${PARLEY_TEST_COMPILE_OPTIONS})

  add_dependencies(unit_tests ${program})
  set(labels unit)
  get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  if(folder IN_LIST PARLEY_THREADED_FOLDERS)
    add_dependencies(thread_tests ${program})
    list(APPEND labels threads)
  endif()
  foreach(part RANGE 1 ${ARG_PARTS})
    set(entry ${name})
    if(part GREATER 1)
      set(entry ${name}_${part})
    endif()
    math(EXPR index "${part} - 1")
    add_test(NAME ${entry} COMMAND ${program} --gtest_brief=1)
    set_tests_properties(${entry} PROPERTIES TIMEOUT ${ARG_TIMEOUT} COST ${ARG_COST}
      PROCESSORS ${PARLEY_WHOLE_CORE} LABELS "${labels}"
      ENVIRONMENT "GTEST_OUTPUT=xml:${CMAKE_BINARY_DIR}/test-reports/${entry}.xml;\
GTEST_TOTAL_SHARDS=${ARG_PARTS};GTEST_SHARD_INDEX=${index};${PARLEY_SANITIZER_OPTIONS}")
  endforeach()
endfunction()

# parley_bench(NAME SOURCES … LINKS …): a benchmark program, built and run by `parley-dev bench`.
function(parley_bench name)
  if(NOT PARLEY_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name}_bench EXCLUDE_FROM_ALL ${ARG_SOURCES})
  set_target_properties(${name}_bench PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/benchmarks)
  parley_link(${name}_bench PRIVATE ${ARG_LINKS})
  add_dependencies(benchmarks ${name}_bench)
endfunction()

if(PARLEY_TESTS AND NOT PARLEY_FUZZ)
  add_library(parley_fuzz_replay OBJECT ${PROJECT_SOURCE_DIR}/fuzz/replay_main.cc)
endif()

# parley_fuzzer(NAME SOURCES x_fuzz.cc LINKS …): with PARLEY_FUZZ a libFuzzer program; otherwise a
# program that replays the corpus, so that every found input stays a test on every build.
function(parley_fuzzer name)
  if(NOT PARLEY_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name}_fuzz ${ARG_SOURCES})
  parley_link(${name}_fuzz PRIVATE ${ARG_LINKS})
  target_link_libraries(${name}_fuzz PRIVATE GTest::gtest) # for the headers of the next line
  target_precompile_headers(${name}_fuzz REUSE_FROM parley_test_pch)
  target_compile_options(${name}_fuzz PRIVATE ${PARLEY_TEST_COMPILE_OPTIONS})
  add_dependencies(fuzzers ${name}_fuzz)
  set(corpus ${PROJECT_SOURCE_DIR}/fuzz/corpus/${name})
  if(PARLEY_FUZZ)
    target_link_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
    # A seed, so that two runs of the tests try the same inputs; runs by hand try others.
    add_test(NAME fuzz_${name}
      COMMAND ${name}_fuzz -seed=1 -max_total_time=${PARLEY_FUZZ_SECONDS} -timeout=10
        -rss_limit_mb=1024 -print_final_stats=1 -verbosity=0
        -artifact_prefix=${CMAKE_BINARY_DIR}/${name}-
        ${CMAKE_BINARY_DIR}/fuzz-found/${name} ${corpus})
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz-found/${name})
  else()
    target_link_libraries(${name}_fuzz PRIVATE parley_fuzz_replay)
    add_test(NAME fuzz_${name} COMMAND ${name}_fuzz ${corpus})
  endif()
  set_tests_properties(fuzz_${name} PROPERTIES LABELS fuzz TIMEOUT 300
    PROCESSORS ${PARLEY_WHOLE_CORE}
    ENVIRONMENT "${PARLEY_SANITIZER_OPTIONS}")
endfunction()
