import {
  type CompletedCommand,
  completedCommands,
  type Follows,
  firstWords,
  PROGRAMS,
  secondWords,
} from './completed.ts'

export function fishScript(): string {
  const lines = PROGRAMS.flatMap((program) => linesFor(program))
  const two = completedCommands().filter(({ name }) => name.includes(' '))
  return `# Completion of gatehouse for fish. Made by \`gatehouse completion fish\`.
function __gatehouse_is
    set -l words (commandline -opc) '' ''
    set -l command $words[2]
    contains -- "$words[2] $words[3]" ${two.map(({ name }) => quoted(name)).join(' ')}
    and set command "$words[2] $words[3]"
    test "$command" = "$argv[1]"
end
function __gatehouse_words
    set -l words (commandline -opc)
    test (count $words) -eq $argv[1]
    and begin
        test (count $argv) -eq 1
        or test "$words[2]" = "$argv[2]"
    end
end
${lines.join('\n')}
`
}

function linesFor(program: string): string[] {
  const complete = `complete -c ${program}`
  const firsts = firstWords().map(
    ({ word, about }) => `${complete} -n '__gatehouse_words 1' -a ${quoted(word)} -d ${quoted(about)}`,
  )
  const seconds = firstWords().flatMap(({ word: first }) =>
    secondWords(first).map(
      ({ word, about }) => `${complete} -n '__gatehouse_words 2 ${first}' -a ${quoted(word)} -d ${quoted(about)}`,
    ),
  )
  return [`${complete} -f`, ...firsts, ...seconds, ...completedCommands().flatMap((one) => ofCommand(complete, one))]
}

function ofCommand(complete: string, { name, flags, operand }: CompletedCommand): string[] {
  const condition = `${complete} -n ${quoted(`__gatehouse_is "${name}"`)}`
  const offered = operand === 'nothing' || operand === 'text' ? [] : [`${condition} ${offerOf(operand)}`]
  return [
    ...offered,
    ...flags.map(({ name: flag, about, follows }) =>
      [condition, `-l ${flag}`, follows === 'nothing' ? '' : `-r ${offerOf(follows)}`, `-d ${quoted(about)}`]
        .filter((part) => part !== '')
        .join(' '),
    ),
  ]
}

function offerOf(follows: Follows): string {
  if (follows === 'files') return '-F'
  if (follows === 'folders') return "-f -a '(__fish_complete_directories)'"
  return typeof follows === 'string' ? '-f' : `-f -a ${quoted(follows.join(' '))}`
}

/** In fish, a backslash and a quote need a backslash between single quotes. */
function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}
