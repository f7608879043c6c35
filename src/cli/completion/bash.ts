import { type Follows, firstWords, PROGRAMS, quoted } from './completed.ts'
import { indented, shellCases } from './shell-cases.ts'

/** Works in bash 3.2 of macOS too, and needs no package of completions. */
export function bashScript(): string {
  const cases = shellCases({
    add: (words) => `words="$words ${words.map(({ word }) => word).join(' ')}"`,
    offer: replyOf,
  })
  return `# Completion of gatehouse for bash. Made by \`gatehouse completion bash\`.
_gatehouse() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]}
  local first=\${COMP_WORDS[1]} command words='' IFS=$' \\t\\n'
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W ${quoted([...firstWords().map(({ word }) => word), '--help', '--version'].join(' '))} -- "$current"))
    return
  fi
  command=$first
  case "$first \${COMP_WORDS[2]}" in
${indented(cases.twoWords, 4)}
  esac
  case "$command $previous" in
${indented(cases.valuesOfFlags, 4)}
  esac
  if [ "$COMP_CWORD" -eq 2 ]; then
    case "$first" in
${indented(cases.secondWords, 6)}
    esac
  fi
  case "$command" in
${indented(cases.flags, 4)}
  esac
  case "$current" in
    -*) ;;
    *)
      case "$command" in
${indented(cases.operands, 8)}
      esac
      ;;
  esac
  COMPREPLY+=($(compgen -W "$words" -- "$current"))
}
complete -F _gatehouse ${PROGRAMS.join(' ')}
`
}

/** File names may have spaces, so each line is one of them. */
function replyOf(follows: Follows): string {
  if (follows === 'files' || follows === 'folders') {
    const files = `COMPREPLY=($(compgen ${follows === 'files' ? '-f' : '-d'} -- "$current"))`
    return `compopt -o filenames 2>/dev/null; IFS=$'\\n'; ${files}; IFS=$' \\t\\n'`
  }
  if (follows === 'nothing' || follows === 'text') return ':'
  return `COMPREPLY=($(compgen -W ${quoted(follows.join(' '))} -- "$current"))`
}
