# bash completion of kiln, which knows the candidates itself (tools/kiln/completion.hpp).
_kiln() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files) compopt -o default ;;
      :folders) compopt -o dirnames ;;
      *) COMPREPLY+=("${line%%$'\t'*}") ;;
    esac
  done < <("$1" __complete -- "${COMP_WORDS[@]:1:COMP_CWORD - 1}" "$2" 2>/dev/null)
}
complete -F _kiln kiln
