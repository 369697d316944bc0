# Writes the header FILE with the commit that the tree SOURCE stands at and its date, where git can
# tell, and leaves a file that says the same as it is, so that nothing is compiled again for it.
set(commit "")
set(date "")
find_program(GIT git)
if(GIT)
  execute_process(COMMAND ${GIT} -C ${SOURCE} describe --always --dirty=+ --abbrev=10 --exclude=*
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND ${GIT} -C ${SOURCE} log -1 --format=%cs
    OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
set(text "inline constexpr char kSourceCommit[] = \"${commit}\";
inline constexpr char kSourceDate[] = \"${date}\";
")
set(known "")
if(EXISTS ${FILE})
  file(READ ${FILE} known)
endif()
if(NOT known STREQUAL text)
  file(WRITE ${FILE} "${text}")
endif()
