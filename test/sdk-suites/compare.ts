type Comparison = { passed: number; expected: number; skipped: number; surprises: string[] }

/**
 * What a suite did, against what it is known to do. A test that fails without being known to is a surprise, and so is one that
 * passes although the list says that it fails, and one on the list that was not run.
 */
export function compare(results: string, known: ReadonlyMap<string, string>): Comparison {
  const outcomes = new Map(results.split('\n').flatMap(outcomeIn))
  const named = (outcome: string) => [...outcomes].flatMap(([test, found]) => (found === outcome ? [test] : []))
  const failed = named('failed')
  const surprises = [
    ...failed.filter((test) => !known.has(test)).map((test) => `fails: ${test}`),
    ...[...known.keys()].filter((test) => outcomes.get(test) !== 'failed').map((test) => `no longer fails: ${test}`),
    ...(outcomes.size === 0 ? ['no test was run'] : []),
  ]
  const expected = failed.filter((test) => known.has(test)).length
  return { passed: named('passed').length, expected, skipped: named('skipped').length, surprises }
}

function outcomeIn(line: string): [string, string][] {
  const [, outcome, test] = /^(passed|failed|skipped) (.+)$/.exec(line) ?? []
  return outcome && test ? [[test, outcome]] : []
}
