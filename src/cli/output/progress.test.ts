import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Screen, withProgress } from './progress.ts'

const CLEAR = '\r\u001b[2K'

test('a terminal shows share, amounts and the time that is left, in one line that is removed at the end', async () => {
  const { screen, clock, lines, pass } = terminal()
  const format = (bytes: number) => `${bytes} MB`
  const result = await withProgress('Copying', { screen, clock, format }, async (progress) => {
    progress.at(0, 200)
    pass(50)
    progress.at(1, 200)
    pass(1_950)
    progress.at(50, 200)
    pass(298_000)
    progress.at(100, 200)
    progress.step('checking')
    pass(100)
    progress.at(400, 200)
    return 'done'
  })
  assert.equal(result, 'done')
  assert.deepEqual(lines(), [
    'Copying: [....................] 0% (0 MB of 200 MB)',
    'Copying: [#####...............] 25% (50 MB of 200 MB), 6 s left',
    'Copying: [##########..........] 50% (100 MB of 200 MB), 5 min left',
    'Copying: checking: [####################] 100% (400 MB of 200 MB)',
    '',
  ])
})

test('without a total it shows what is being done, and for how long', async () => {
  const { screen, clock, lines, pass } = terminal()
  await withProgress('Updating the schema', { screen, clock }, async (progress) => {
    progress.step('9 of 10')
    pass(61_000)
    progress.step('10 of 10')
  })
  assert.deepEqual(lines(), ['Updating the schema: 9 of 10, 0 s', 'Updating the schema: 10 of 10, 61 s', ''])
})

test('a line is cut to the width of the terminal, and cannot control it; how far the work is stays on it', async () => {
  const { screen, clock, lines } = terminal(20)
  await withProgress('\u001b[2Jx', { screen, clock }, async (progress) => progress.step('a'.repeat(99)))
  assert.deepEqual(lines(), ['\\u{1b}[2Jx: a…, 0 s', ''])
  const wide = terminal(56)
  await withProgress('x', wide, async (progress) => {
    progress.step('a'.repeat(99))
    wide.pass(100)
    progress.at(1, 2)
  })
  assert.equal(wide.lines()[1], 'x: aaaaaaaaaaaaaa…: [##########..........] 50% (1 of 2)')
})

test('the line is removed although the work fails', async () => {
  const { screen, clock, lines } = terminal()
  const failing = withProgress('x', { screen, clock }, async (progress) => {
    progress.step('y')
    throw new Error('no')
  })
  await assert.rejects(failing, /no/)
  assert.deepEqual(lines(), ['x: y, 0 s', ''])
})

test('where there is no terminal, nothing is written', async () => {
  const written: string[] = []
  const write = (text: string) => void written.push(text)
  for (const screen of [undefined, { write }, { isTTY: false, write }])
    await withProgress('x', { screen }, async (progress) => {
      progress.at(1, 2)
      progress.step('y')
    })
  assert.deepEqual(written, [])
})

function terminal(columns = 80) {
  let now = 5_000
  let text = ''
  const screen: Screen = {
    isTTY: true,
    columns,
    write: (piece: string) => {
      text += piece
    },
  }
  const pass = (ms: number) => {
    now += ms
  }
  return { screen, clock: () => now, pass, lines: () => text.split(CLEAR).slice(1) }
}
