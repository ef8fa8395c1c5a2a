# Completion of rooflinec and roofline in bash: the programs say what may follow, else a file.
_roofline() {
  local program=$1 word=$2 before=("${COMP_WORDS[@]:1:COMP_CWORD-1}")
  [ "$word" = = ] && word=
  [ "${#before[@]}" -gt 1 ] && [ "${before[-1]}" = = ] && unset 'before[-1]' # "--format=j" comes as three words
  mapfile -t COMPREPLY < <(compgen -W "$("$program" --complete "${before[@]}" 2>/dev/null | cut -f 1)" -- "$word")
}
complete -o default -F _roofline rooflinec roofline
