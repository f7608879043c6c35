import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { test } from 'node:test'
import {
  intervalOfMedian,
  isMet,
  isVoid,
  median,
  othersShare,
  pairedDifferences,
  pairedRatios,
  rotated,
  spread,
} from './bench-figures.ts'
import { slicesOfStarts } from './against.ts'
import { directly } from './contenders.ts'
import { parseMachineStat, parseProcessStat, parseRssBytes, treeCpuUs, treeRssBytes, treeTicks } from './cpu.ts'
import { measureMemory } from './memory.ts'
import { chatBody, STREAM_EVENTS, streamEvents } from './payload.ts'
import { type CpuProfile, summarise } from './profile.ts'
import { readSettings, SCENARIOS } from './settings.ts'
import { closeSlices, type Slice } from './slices.ts'
import { ratiosOf } from './targets.ts'

test('the median and the quartiles lie between the values that frame them', () => {
  assert.equal(median([3, 1, 2]), 2)
  assert.equal(median([4, 1, 3, 2]), 2.5)
  assert.deepEqual(spread([1, 2, 3, 4, 5]), { low: 2, middle: 3, high: 4 })
  assert.ok(Number.isNaN(median([])))
})

test('the interval of a median leaves out the ranks that a fair coin hardly reaches', () => {
  const values = Array.from({ length: 40 }, (_, at) => at + 1)
  assert.deepEqual(intervalOfMedian(values), { low: 14, middle: 20.5, high: 27 })
  assert.deepEqual(intervalOfMedian([5]), { low: 5, middle: 5, high: 5 })
})

test('ratios are made within a round, and a round with a missing side makes none', () => {
  const top = [figure(0, 30), figure(1, 90), figure(2, 50)]
  const bottom = [figure(1, 30), figure(0, 10), figure(3, 1)]
  assert.deepEqual(pairedRatios(top, bottom), [3, 3])
  assert.deepEqual(pairedDifferences(top, bottom), [figure(0, 20), figure(1, 60)])
})

test('the median of paired ratios is not the ratio of the medians', () => {
  const slices = [slice('gatehouse', 0, 20), slice('bare', 0, 10), slice('gatehouse', 1, 90), slice('bare', 1, 60)]
  slices.push(slice('gatehouse', 2, 70), slice('bare', 2, 50))
  const [ratio] = ratiosOf('small', slices)
  assert.equal(ratio?.spread.middle, 1.5)
  assert.equal(ratio?.met, true)
  assert.equal(ratio?.rounds, 3)
})

test('a slice pays for all the CPU that its contender used until its own next slice', () => {
  const open = (contender: Slice['contender'], round: number, cpuBeforeUs: number) => {
    return { ...slice(contender, round, 0), count: 10, cpuBeforeUs }
  }
  const slices = [open('bare', 0, 100), open('portkey', 0, 1000), open('portkey', 1, 3000), open('bare', 1, 250)]
  const closed = closeSlices(slices, new Map([['bare', 300] as const, ['portkey', 3500] as const]))
  assert.deepEqual(
    closed.map(({ contender, cpuUs }) => [contender, cpuUs]),
    [
      ['bare', 15],
      ['portkey', 200],
      ['portkey', 50],
      ['bare', 5],
    ],
  )
})

test('a slice with errors gives no figure', () => {
  const broken = { ...slice('gatehouse', 0, 1), errors: ['1 failed requests'] }
  assert.deepEqual(ratiosOf('small', [broken, slice('bare', 0, 10)]), [])
})

test('the slices of a comparison are shared by several starts of both sides', () => {
  assert.deepEqual(slicesOfStarts(40), [10, 10, 10, 10])
  assert.deepEqual(slicesOfStarts(10), [3, 3, 2, 2])
  assert.deepEqual(slicesOfStarts(3), [1, 1, 1])
})

test('added time is compared after the time of the upstream itself is taken off', () => {
  const times = { direct: 10, bare: 30, gatehouse: 60, portkey: 210 } as const
  const slices = Object.entries(times).map(([name, p50Us]) => ({ ...slice(name as keyof typeof times, 0, 1), p50Us }))
  const ratios = ratiosOf('one', slices).map((ratio) => [ratio.top, ratio.spread.middle, ratio.met])
  assert.deepEqual(ratios, [
    ['gatehouse', 2.5, false],
    ['portkey', 4, true],
  ])
})

test('a target is met at its limit', () => {
  assert.equal(isMet({ atMost: 1.8 }, 1.8), true)
  assert.equal(isMet({ atMost: 1.8 }, 1.81), false)
  assert.equal(isMet({ atLeast: 5 }, 5), true)
  assert.equal(isMet({ atLeast: 5 }, 4.99), false)
})

test('a run is void when others took more than a quarter of the machine over all slices', () => {
  const quiet = { busy: 100, ours: 100, capacity: 200 }
  const disturbed = { busy: 200, ours: 100, capacity: 200 }
  assert.equal(othersShare([quiet, disturbed]), 0.25)
  assert.equal(isVoid([quiet, disturbed]), false)
  assert.equal(isVoid([quiet, disturbed, disturbed]), true)
  assert.equal(othersShare([{ busy: 90, ours: 100, capacity: 200 }]), 0)
  assert.equal(isVoid([]), false)
})

test('every contender takes every place in turn', () => {
  assert.deepEqual(
    [0, 1, 2, 3].map((round) => rotated(['a', 'b', 'c'], round).join('')),
    ['abc', 'bca', 'cab', 'abc'],
  )
})

test('a process is read past a name that holds blanks and brackets', () => {
  const numbers = '5 6 7 8 9 10 11 12 13 700 80 9 1 20 0 12 0 81478 2867200 290'
  const text = `4856 (node (x) y) R 17 ${numbers}`
  assert.deepEqual(parseProcessStat(text), { pid: 4856, parent: 17, ticks: 790 })
})

test('a tree is a process with all below it, and nothing beside it', () => {
  const stat = (pid: number, parent: number, ticks: number) => ({ pid, parent, ticks })
  const processes = [stat(1, 0, 1000), stat(10, 1, 1), stat(11, 10, 2), stat(12, 11, 4), stat(20, 1, 8)]
  assert.equal(treeTicks(processes, 10), 7)
  assert.equal(treeTicks(processes, 99), 0)
})

test('the machine is busy when it neither idles nor waits for a disk', () => {
  const text = 'cpu  100 10 50 800 30 1 2 4 60 5\ncpu0 1 1 1 1 1 1 1 1 1 1\n'
  assert.deepEqual(parseMachineStat(text), { busyTicks: 167, capacityTicks: 997 })
})

test('resident memory is read from the status of a process', () => {
  assert.equal(parseRssBytes('Name:\tnode\nVmHWM:\t  900 kB\nVmRSS:\t  512 kB\n'), 512 * 1024)
  assert.equal(parseRssBytes(''), 0)
})

test('the CPU and memory of a real child are seen from outside', async () => {
  const child = spawn(process.execPath, ['-e', SPIN], { stdio: ['pipe', 'pipe', 'inherit'] })
  await new Promise((resolve) => child.stdout.once('data', resolve))
  assert.ok(treeCpuUs(child.pid!) >= 100_000)
  assert.ok(treeRssBytes(child.pid!) > 10_000_000)
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.stdin.end()
  await ended
  assert.equal(treeCpuUs(child.pid!), 0)
})

test('busy time is what is not idle and inside the window; samples with frames of the ledger on the stack count as the ledger', () => {
  const frame = (functionName: string, url = '') => ({ functionName, url, lineNumber: 6 })
  const profile: CpuProfile = {
    startTime: 1000,
    nodes: [
      { id: 1, callFrame: frame('(root)'), children: [2, 3, 5] },
      { id: 2, callFrame: frame('(idle)') },
      { id: 3, callFrame: frame('note', 'file:///x/src/money/billing/ledger.ts'), children: [4] },
      { id: 4, callFrame: frame('run', 'node:sqlite') },
      { id: 5, callFrame: frame('chat', 'file:///x/src/endpoints/chat/chat.ts') },
    ],
    samples: [5, 5, 2, 4, 3, 5, 5],
    timeDeltas: [100, 100, 100, 100, 100, 200, 900],
  }
  const { ledgerShare, busyMs, hottest } = summarise([profile], { fromUs: 1150, toUs: 1900 })
  assert.equal(busyMs, 0.5)
  assert.equal(ledgerShare, 0.4)
  assert.deepEqual(hottest[0], { name: 'chat src/endpoints/chat/chat.ts:7', milliseconds: 0.3, share: 0.6 })
})

test('bodies have the size they are named for, and streams the events', () => {
  for (const bytes of [1024, 102_400]) {
    const length = chatBody('openai/gpt-4o-mini', bytes).length
    assert.ok(Math.abs(length - bytes) < bytes * 0.02, `${length} for ${bytes}`)
  }
  const events = streamEvents()
  assert.equal(events.length, STREAM_EVENTS)
  assert.equal(events.at(-1), 'data: [DONE]\n\n')
  assert.match(events.at(-2) ?? '', /"usage":\{"prompt_tokens"/)
})

test('memory over fewer requests than were promised is no figure', async () => {
  const contender = directly('http://127.0.0.1:1/v1')
  const slow = async () => ({ count: 1, seconds: 1, p50Us: 1, errors: [] })
  await assert.rejects(measureMemory(contender, slow, 5), /^Error: only \d+ requests were answered in time$/)
  const quick = async () => ({ count: 100_000, seconds: 1, p50Us: 1, errors: [] })
  assert.equal((await measureMemory(contender, quick)).requests, 100_000)
})

test('flags are read, and wrong ones are refused by name', () => {
  assert.deepEqual(readSettings([]).only, SCENARIOS)
  assert.equal(readSettings([]).slices >= 10, true)
  assert.equal(readSettings(['--quick']).only.includes('memory'), false)
  assert.equal(readSettings(['--quick', '--memory']).only.includes('memory'), true)
  assert.deepEqual(readSettings(['--only', 'small,streams', '--seconds', '3']).only, ['small', 'streams'])
  assert.throws(() => readSettings(['--only', 'tiny']), /does not know 'tiny'/)
  assert.throws(() => readSettings(['--slices', '0']), /--slices takes a whole number/)
})

const SPIN = `const end = process.cpuUsage().user + 150_000
while (process.cpuUsage().user < end);
process.stdout.write('spun')
process.stdin.resume()`

function figure(round: number, value: number) {
  return { round, value }
}

function slice(contender: Slice['contender'], round: number, cpuUs: number): Slice {
  const machine = { busy: 0, ours: 0, capacity: 1 }
  return { contender, round, cpuUs, count: 1, seconds: 1, p50Us: 1, errors: [], rssBytes: 0, machine }
}
