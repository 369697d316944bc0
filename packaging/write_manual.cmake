# Writes the pages and the completions that PROGRAM prints of itself into FOLDER.
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
execute_process(COMMAND ${PROGRAM} man --write ${FOLDER}/man1 COMMAND_ERROR_IS_FATAL ANY)
foreach(shell bash zsh fish)
  execute_process(COMMAND ${PROGRAM} completions ${shell} OUTPUT_FILE ${FOLDER}/parley.${shell}
    COMMAND_ERROR_IS_FATAL ANY)
endforeach()
# Debian wants manual pages compressed, without a time in them.
file(GLOB pages ${FOLDER}/man1/*.1)
execute_process(COMMAND gzip -9 -n ${pages} COMMAND_ERROR_IS_FATAL ANY)
