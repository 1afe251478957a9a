# fish completion of kiln, which knows the candidates itself (tools/kiln/completion.hpp).
function __kiln_complete
  set -l words (commandline -opc)
  set -l token (commandline -ct)
  set -l option (string match -r -- '^--[^=]*=' "$token")
  for line in ($words[1] __complete -- $words[2..-1] "$token" 2>/dev/null)
    switch $line
      case :files
        __fish_complete_path (string replace -- "$option" '' "$token") | string replace -r '^' -- "$option"
      case :folders
        __fish_complete_directories (string replace -- "$option" '' "$token") | string replace -r '^' -- "$option"
      case '*'
        printf "%s\n" $line
    end
  end
end
complete -c kiln -f -a '(__kiln_complete)'
