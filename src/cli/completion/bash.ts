import {
  type CompletedCommand,
  completedCommands,
  type Follows,
  firstWords,
  PROGRAMS,
  quoted,
  secondWords,
} from './completed.ts'

/** Works in bash 3.2 of macOS too, and needs no package of completions. */
export function bashScript(): string {
  const commands = completedCommands()
  const two = commands.filter(({ name }) => name.includes(' '))
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
${two.map(({ name }) => `    ${quoted(name)}) command=${quoted(name)} ;;`).join('\n')}
  esac
  case "$command $previous" in
${commands.flatMap(flagCases).join('\n')}
  esac
  if [ "$COMP_CWORD" -eq 2 ]; then
    case "$first" in
${groupCases()}
    esac
  fi
  case "$command" in
${commands.map((one) => `    ${quoted(one.name)}) words="$words ${flagWords(one)}" ;;`).join('\n')}
  esac
  case "$current" in
    -*) ;;
    *)
      case "$command" in
${commands.flatMap(operandCase).join('\n')}
      esac
      ;;
  esac
  COMPREPLY+=($(compgen -W "$words" -- "$current"))
}
complete -F _gatehouse ${PROGRAMS.join(' ')}
`
}

function flagWords({ flags }: CompletedCommand): string {
  return flags.map(({ name }) => `--${name}`).join(' ')
}

function flagCases({ name: command, flags }: CompletedCommand): string[] {
  return flags.flatMap(({ name, follows }) =>
    follows === 'nothing' ? [] : [`    ${quoted(`${command} --${name}`)}) ${replyOf(follows)}; return ;;`],
  )
}

function groupCases(): string {
  const groups = firstWords().flatMap(({ word }) => {
    const words = secondWords(word).map((one) => one.word)
    return words.length > 0 ? [`      ${quoted(word)}) words=${quoted(words.join(' '))} ;;`] : []
  })
  return groups.join('\n')
}

function operandCase({ name, operand }: CompletedCommand): string[] {
  return operand === 'nothing' || operand === 'text' ? [] : [`        ${quoted(name)}) ${replyOf(operand)} ;;`]
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
