# bash completion of kiln. Made by scripts/cli_pages.py: edit the help texts in tools/kiln instead.
_kiln() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} path=kiln word i
  local commands= options= values= operands=
  COMPREPLY=()
  # The command is the words that are commands, up to the cursor.
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    case "$path $word" in
      "kiln eval" | "kiln functions" | "kiln devices" | "kiln cache" | "kiln cache list" | "kiln cache show" | "kiln cache stats" | "kiln cache path" | "kiln cache verify" | "kiln cache prune" | "kiln cache clear" | "kiln cache explain" | "kiln cache export" | "kiln cache import" | "kiln compile" | "kiln inspect") path+=" $word" ;;
    esac
  done
  case $path in
    "kiln")
      options="-h --help --version" commands="eval functions devices cache compile inspect" operands=""
      ;;
    "kiln eval")
      options="-h --help -f --file -o --output -d --device -t --time --functions --preamble -D --define -I --include-dir --contract --fast-math --casting --dtype --where -m --method --axis --keepdims --initial -l --layout --each --group --sizes --axes" commands="" operands="files"
      case $prev in
        -f | --file) values="files" ;;
        -o | --output) values="files" ;;
        -d | --device) values="words:best cpu cuda hip" ;;
        --functions) values="-" ;;
        --preamble) values="-" ;;
        -D | --define) values="-" ;;
        -I | --include-dir) values="folders" ;;
        --casting) values="words:no equiv safe same_kind unsafe" ;;
        --dtype) values="words:bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64 complex128" ;;
        --where) values="files" ;;
        -m | --method) values="-" ;;
        --axis) values="-" ;;
        --initial) values="-" ;;
        -l | --layout) values="-" ;;
        --each) values="-" ;;
        --group) values="-" ;;
        --sizes) values="-" ;;
        --axes) values="-" ;;
      esac
      ;;
    "kiln functions")
      options="-h --help --json" commands="" operands=""
      ;;
    "kiln devices")
      options="-h --help --json -v --verbose" commands="" operands=""
      ;;
    "kiln cache")
      options="-h --help" commands="list show stats path verify prune clear explain export import" operands=""
      ;;
    "kiln cache list")
      options="-h --help --sort --kernel -t --target -q --quiet --dir --json" commands="" operands=""
      case $prev in
        --sort) values="words:name size age hits" ;;
        --kernel) values="-" ;;
        -t | --target) values="words:native sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 gfx90a gfx942 gfx1100 x86-64 x86-64-v2 x86-64-v3 x86-64-v4" ;;
        --dir) values="folders" ;;
      esac
      ;;
    "kiln cache show")
      options="-h --help --dir --json" commands="" operands="ids"
      case $prev in
        --dir) values="folders" ;;
      esac
      ;;
    "kiln cache stats")
      options="-h --help --dir --json" commands="" operands=""
      case $prev in
        --dir) values="folders" ;;
      esac
      ;;
    "kiln cache path")
      options="-h --help --dir --json" commands="" operands=""
      case $prev in
        --dir) values="folders" ;;
      esac
      ;;
    "kiln cache verify")
      options="-h --help --fix --dir --json" commands="" operands=""
      case $prev in
        --dir) values="folders" ;;
      esac
      ;;
    "kiln cache prune")
      options="-h --help --max-bytes --older-than --dir --json" commands="" operands=""
      case $prev in
        --max-bytes) values="-" ;;
        --older-than) values="-" ;;
        --dir) values="folders" ;;
      esac
      ;;
    "kiln cache clear")
      options="-h --help -y --yes --dir --json" commands="" operands=""
      case $prev in
        --dir) values="folders" ;;
      esac
      ;;
    "kiln cache explain")
      options="-h --help -t --target --dir --json" commands="" operands="files"
      case $prev in
        -t | --target) values="words:native sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 gfx90a gfx942 gfx1100 x86-64 x86-64-v2 x86-64-v3 x86-64-v4" ;;
        --dir) values="folders" ;;
      esac
      ;;
    "kiln cache export")
      options="-h --help --kernel -t --target --dir --json" commands="" operands="files"
      case $prev in
        --kernel) values="-" ;;
        -t | --target) values="words:native sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 gfx90a gfx942 gfx1100 x86-64 x86-64-v2 x86-64-v3 x86-64-v4" ;;
        --dir) values="folders" ;;
      esac
      ;;
    "kiln cache import")
      options="-h --help --dir --json" commands="" operands="files"
      case $prev in
        --dir) values="folders" ;;
      esac
      ;;
    "kiln compile")
      options="-h --help -t --target -j --jobs --dir --json -q --quiet --strict" commands="" operands="files"
      case $prev in
        -t | --target) values="words:native sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 gfx90a gfx942 gfx1100 x86-64 x86-64-v2 x86-64-v3 x86-64-v4" ;;
        -j | --jobs) values="-" ;;
        --dir) values="folders" ;;
      esac
      ;;
    "kiln inspect")
      options="-h --help --as -t --target -k --kernel -o --output --dir --json" commands="" operands="ids"
      case $prev in
        --as) values="words:source ptx sass amdgcn asm llvm-ir resources" ;;
        -t | --target) values="words:native sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 gfx90a gfx942 gfx1100 x86-64 x86-64-v2 x86-64-v3 x86-64-v4" ;;
        -k | --kernel) values="-" ;;
        -o | --output) values="files" ;;
        --dir) values="folders" ;;
      esac
      ;;
  esac
  if [[ $cur != -* && -n $values ]] || [[ -n $values && $values != - ]]; then
    operands=$values options= commands=
  elif [[ $values == - ]]; then
    return
  fi
  case $operands in
    files) [[ $cur == -* ]] || compopt -o filenames 2>/dev/null; [[ $cur == -* ]] || mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    folders) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
    ids) [[ $cur == -* ]] || mapfile -t COMPREPLY < <(compgen -W "$(kiln cache list --quiet 2>/dev/null)" -- "$cur") ;;
    words:*) mapfile -t COMPREPLY < <(compgen -W "${operands#words:}" -- "$cur") ;;
  esac
  if [[ $cur == -* && -n $options ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
  elif [[ -n $commands ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$cur")
  fi
}
complete -F _kiln kiln
