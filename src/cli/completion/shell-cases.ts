import { type CompletedCommand, completedCommands, type Follows, firstWords, quoted, secondWords } from './completed.ts'

// What the scripts for bash and zsh share: branches of `case` by command and option. The shells differ in how words are offered.

type Word = { word: string; about: string }
type Shell = {
  /** Adds words to those that the end of the script offers. */
  add(words: readonly Word[]): string
  /** Offers at once what may follow. */
  offer(follows: Follows): string
}

export function shellCases({ add, offer }: Shell) {
  const commands = completedCommands()
  const two = commands.filter(({ name }) => name.includes(' '))
  return {
    twoWords: two.map(({ name }) => branch(name, `command=${quoted(name)}`)),
    valuesOfFlags: commands.flatMap((command) =>
      flagsWithValue(command).map(({ name, follows }) =>
        branch(`${command.name} --${name}`, `${offer(follows)}; return`),
      ),
    ),
    secondWords: firstWords().flatMap(({ word }) => {
      const words = secondWords(word)
      return words.length > 0 ? [branch(word, add(words))] : []
    }),
    operands: commands.flatMap(({ name, operand }) =>
      operand === 'nothing' || operand === 'text' ? [] : [branch(name, offer(operand))],
    ),
    flags: commands.map(({ name, flags }) =>
      branch(name, add(flags.map((flag) => ({ word: `--${flag.name}`, about: flag.about })))),
    ),
  }
}

function flagsWithValue({ flags }: CompletedCommand) {
  return flags.filter(({ follows }) => follows !== 'nothing')
}

function branch(pattern: string, does: string): string {
  return `(${quoted(pattern)}) ${does} ;;`
}

export function indented(lines: readonly string[], spaces: number): string {
  return lines.map((line) => `${' '.repeat(spaces)}${line}`).join('\n')
}
