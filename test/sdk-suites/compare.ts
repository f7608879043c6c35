type Comparison = { passed: number; expected: number; skipped: number; surprises: string[] }

/**
 * What a suite did, against what it is known to do. A test that fails without being known to is a surprise, and so is one that
 * passes although the list says that it fails, and one on the list that was not run. A suite does each test with several clients,
 * whose names are in brackets: the list has a test with one of them, or without for all of them.
 */
export function compare(results: string, known: ReadonlyMap<string, string>): Comparison {
  const outcomes = new Map(results.split('\n').flatMap(outcomeIn))
  const named = (outcome: string) => [...outcomes].flatMap(([test, found]) => (found === outcome ? [test] : []))
  const isKnown = (test: string) => known.has(test) || known.has(withoutClient(test))
  const [failed, passed] = [named('failed'), named('passed')]
  const run = new Set([...outcomes.keys()].flatMap((test) => [test, withoutClient(test)]))
  const surprises = [
    ...failed.filter((test) => !isKnown(test)).map((test) => `fails: ${test}`),
    ...passed.filter(isKnown).map((test) => `no longer fails: ${test}`),
    ...[...known.keys()].filter((test) => !run.has(test)).map((test) => `was not run: ${test}`),
    ...(outcomes.size === 0 ? ['no test was run'] : []),
  ]
  return { passed: passed.length, expected: failed.filter(isKnown).length, skipped: named('skipped').length, surprises }
}

function withoutClient(test: string): string {
  return test.replace(/ \([^()]*\)$/, '')
}

function outcomeIn(line: string): [string, string][] {
  const [, outcome, test] = /^(passed|failed|skipped) (.+)$/.exec(line) ?? []
  return outcome && test ? [[test, outcome]] : []
}
