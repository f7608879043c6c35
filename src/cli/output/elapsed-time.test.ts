import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { withElapsedTime } from './elapsed-time.ts'
import { withProgress } from './progress.ts'

const CLEAR = '\r\u001b[2K'

function terminal(isTTY: boolean) {
  const seen: string[] = []
  const write = (text: string) => void seen.push(text)
  return {
    seen,
    terminal: { print: write, remark: write, screen: { isTTY, columns: 40, write: (text: string) => write(text) } },
  }
}

test('a command that takes longer than a second shows for how long, and what it prints stands on lines of its own', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] })
  t.after(() => mock.timers.reset())
  const { seen, terminal: own } = terminal(true)
  const code = await withElapsedTime('ledger verify', own, async ({ print }) => {
    print('at once\n')
    mock.timers.tick(1_000)
    print('later\n')
    mock.timers.tick(1_000)
    return 3
  })
  assert.equal(code, 3)
  assert.deepEqual(
    seen.map((text) => text.replace(/ledger verify, \d+ s$/, 'line')),
    ['at once\n', `${CLEAR}line`, CLEAR, 'later\n', `${CLEAR}line`, CLEAR],
  )
})

test('progress of the command itself takes the place of the line', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] })
  t.after(() => mock.timers.reset())
  const { seen, terminal: own } = terminal(true)
  await withElapsedTime('backup', own, async ({ screen }) => {
    await withProgress('Copying', { screen }, async ({ at }) => at(1, 2))
    mock.timers.tick(5_000)
    return 0
  })
  assert.deepEqual(seen, [`${CLEAR}Copying: [##########..........] 50% (1 `, CLEAR])
})

test('without a terminal there is nothing but what the command prints', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] })
  t.after(() => mock.timers.reset())
  const { seen, terminal: own } = terminal(false)
  await withElapsedTime('x', own, async ({ print }) => {
    mock.timers.tick(9_000)
    print('result\n')
    return 0
  })
  assert.deepEqual(seen, ['result\n'])
})
