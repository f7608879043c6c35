import {
  type CompletedCommand,
  completedCommands,
  type Follows,
  firstWords,
  PROGRAMS,
  quoted,
  secondWords,
} from './completed.ts'

export function zshScript(): string {
  const commands = completedCommands()
  const two = commands.filter(({ name }) => name.includes(' '))
  return `#compdef ${PROGRAMS.join(' ')}
# Completion of gatehouse for zsh. Made by \`gatehouse completion zsh\`.
_gatehouse() {
  local first=\${words[2]} command
  local -a items
  if (( CURRENT == 2 )); then
    items=(${described(firstWords())})
    _describe -t commands command items
    return
  fi
  command=$first
  case "$first \${words[3]}" in
${two.map(({ name }) => `    (${quoted(name)}) command=${quoted(name)} ;;`).join('\n')}
  esac
  case "$command \${words[CURRENT-1]}" in
${commands.flatMap(flagCases).join('\n')}
  esac
  if (( CURRENT == 3 )); then
    items=()
    case "$first" in
${groupCases()}
    esac
    (( \${#items} )) && _describe -t commands command items
  fi
  if [[ "\${words[CURRENT]}" != -* ]]; then
    case "$command" in
${commands.flatMap(operandCase).join('\n')}
    esac
  fi
  items=()
  case "$command" in
${commands.map((one) => `    (${quoted(one.name)}) items=(${flagItems(one)}) ;;`).join('\n')}
  esac
  (( \${#items} )) && _describe -o -t options option items
}
if [[ "\${funcstack[1]}" == _gatehouse ]]; then
  _gatehouse "$@"
else
  compdef _gatehouse ${PROGRAMS.join(' ')}
fi
`
}

function described(all: readonly { word: string; about: string }[]): string {
  return all.map(({ word, about }) => quoted(`${word.replaceAll(':', '\\:')}:${about}`)).join(' ')
}

function flagItems({ flags }: CompletedCommand): string {
  return described(flags.map(({ name, about }) => ({ word: `--${name}`, about })))
}

function flagCases({ name: command, flags }: CompletedCommand): string[] {
  return flags.flatMap(({ name, follows }) =>
    follows === 'nothing' ? [] : [`    (${quoted(`${command} --${name}`)}) ${offerOf(follows)}; return ;;`],
  )
}

function groupCases(): string {
  const groups = firstWords().flatMap(({ word }) => {
    const words = secondWords(word)
    return words.length > 0 ? [`      (${quoted(word)}) items=(${described(words)}) ;;`] : []
  })
  return groups.join('\n')
}

function operandCase({ name, operand }: CompletedCommand): string[] {
  return operand === 'nothing' || operand === 'text' ? [] : [`      (${quoted(name)}) ${offerOf(operand)} ;;`]
}

function offerOf(follows: Follows): string {
  if (follows === 'files') return '_files'
  if (follows === 'folders') return '_files -/'
  if (follows === 'nothing' || follows === 'text') return ':'
  return `compadd -- ${follows.map(quoted).join(' ')}`
}
