import { exitCodes } from './exit.ts'
import type { ShellName } from './shell-names.ts'
import type { Terminal } from './terminal.ts'

/** `sluice completion`: prints a script that a shell reads at its start. */
export const printCompletion = async (shell: ShellName, terminal: Terminal): Promise<number> => {
  terminal.write(scripts[shell])
  await terminal.flush()
  return exitCodes.done
}

// Bash cuts words at = and :, so they are joined again before Sluice sees them.
const bash =
  String.raw`# Completion of sluice for bash. Add to ~/.bashrc:  source <(sluice completion bash)
_sluice() {
  local IFS=$'\n' word line value cut= glued=0 words=()
  for word in "__DOLLAR__{COMP_WORDS[@]:1:COMP_CWORD}"; do
    if [[ ( $word == = || $word == : ) && __DOLLAR__{#words[@]} -gt 0 ]]; then
      words[-1]+=$word
      glued=1
    elif ((glued)); then
      words[-1]+=$word
      glued=0
    else
      words+=("$word")
    fi
  done
  word=__DOLLAR__{words[-1]-}
  [[ $word == *[=:]* ]] && cut=__DOLLAR__{word%"__DOLLAR__{word##*[=:]}"}
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :directories) compopt -o filenames; COMPREPLY+=($(compgen -d -- "__DOLLAR__{word#"$cut"}")) ;;
      :files) compopt -o filenames; COMPREPLY+=($(compgen -f -- "__DOLLAR__{word#"$cut"}")) ;;
      *)
        value=__DOLLAR__{line%%$'\t'*}
        COMPREPLY+=("__DOLLAR__{value#"$cut"}")
        ;;
    esac
  done < <("__DOLLAR__{COMP_WORDS[0]}" __complete -- "__DOLLAR__{words[@]}" 2>/dev/null)
}
complete -F _sluice sluice
`.replaceAll('__DOLLAR__', '$')

const zsh = `#compdef sluice
# Completion of sluice for zsh. Add to ~/.zshrc, after compinit:  source <(sluice completion zsh)
_sluice() {
  local line value
  local -a choices
  for line in "\${(@f)$("\${words[1]}" __complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      '') ;;
      :directories) _files -/ ;;
      :files) _files ;;
      *)
        value=\${line%%$'\\t'*}
        choices+=("\${value//:/\\\\:}:\${line#*$'\\t'}")
        ;;
    esac
  done
  (($#choices)) && _describe sluice choices
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _sluice "$@"
else
  compdef _sluice sluice
fi
`

const fish = `# Completion of sluice for fish. Save it once:
#   sluice completion fish > ~/.config/fish/completions/sluice.fish
function __sluice_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] __complete -- $words[2..] 2>/dev/null)
        switch $line
            case :directories
                __fish_complete_directories (commandline -ct) ''
            case :files
                __fish_complete_path (commandline -ct)
            case '*'
                echo $line
        end
    end
end
complete -c sluice -f -a '(__sluice_complete)'
`

const scripts: Readonly<Record<ShellName, string>> = { bash, zsh, fish }
