# SPDX-License-Identifier: MIT
# Adds what is in one archive to another, under names that begin with `prefix`: ar takes a member of the same name for a newer
# one.
#
#     cmake -D ar=AR -D from=ARCHIVE -D to=ARCHIVE -D prefix=TEXT -D work=FOLDER -P add_members.cmake
file(REMOVE_RECURSE ${work})
file(MAKE_DIRECTORY ${work})
execute_process(COMMAND ${ar} x ${from} WORKING_DIRECTORY ${work} COMMAND_ERROR_IS_FATAL ANY)
file(GLOB members RELATIVE ${work} ${work}/*)
foreach(member IN LISTS members)
  file(RENAME ${work}/${member} ${work}/${prefix}${member})
endforeach()
list(TRANSFORM members PREPEND ${prefix})
execute_process(COMMAND ${ar} qs ${to} ${members} WORKING_DIRECTORY ${work} COMMAND_ERROR_IS_FATAL ANY)
