// What makes a figure of a run doubtful, one line for each reason.
import { CONTENDERS, type ContenderName } from './contenders.ts'
import { WHOLE } from './scenarios.ts'
import { isValid, type Result, type Slice } from './slices.ts'

/** With fewer answers than this for each connection, the requests that the end of a slice cuts off weigh too much. */
const MIN_ANSWERS_PER_CONNECTION = 10

export function doubtsAbout(notes: readonly string[], results: readonly Result[]): string {
  const lines = [...notes, ...results.flatMap(voidSlices), ...results.flatMap(shortSlices)]
  return lines.map((line) => `- ${line}`).join('\n')
}

function voidSlices({ title, slices }: Result): string[] {
  return slices
    .filter((slice) => !isValid(slice))
    .map((slice) => `${title}, ${CONTENDERS[slice.contender]}, round ${slice.round + 1}: void (${issues(slice)})`)
}

function issues({ errors }: Slice): string {
  return errors.length > 1 ? `${errors.length} errors, first: ${errors[0]}` : (errors[0] ?? 'nothing was answered')
}

/** Such requests used CPU and are not counted, so a slow contender looks slower than it is. */
function shortSlices({ scenario, title, slices }: Result): string[] {
  const enough = (WHOLE[scenario]?.connections ?? 0) * MIN_ANSWERS_PER_CONNECTION
  const short = slices.filter((slice) => isValid(slice) && slice.count < enough)
  const names = [...new Set(short.map(({ contender }): ContenderName => contender))]
  return names.map((name) => {
    return `${title}, ${CONTENDERS[name]}: few answers in a slice, so its CPU per request is too high; use longer slices (--seconds)`
  })
}
