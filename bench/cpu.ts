// CPU and memory as the kernel counts them: whole process trees, threads and children that already ended included.
import { readdirSync, readFileSync } from 'node:fs'
import type { MachineUse } from './bench-figures.ts'

const TICKS_PER_SECOND = 100 // USER_HZ: the same on every Linux that Node runs on
const TICK_US = 1_000_000 / TICKS_PER_SECOND

type ProcessStat = { pid: number; parent: number; ticks: number }
type MachineStat = { busyTicks: number; capacityTicks: number }

export function treeCpuUs(root: number): number {
  return treeTicks(readProcesses(), root) * TICK_US
}

export function treeRssBytes(root: number): number {
  const tree = treeOf(readProcesses(), root)
  return tree.reduce((sum, { pid }) => sum + parseRssBytes(readText(`/proc/${pid}/status`)), 0)
}

/** Reads the machine now; the returned function tells what happened since. */
export function watchMachine(): () => MachineUse {
  const before = readMachine()
  return () => {
    const after = readMachine()
    return {
      busy: after.busyTicks - before.busyTicks,
      ours: after.ourTicks - before.ourTicks,
      capacity: after.capacityTicks - before.capacityTicks,
    }
  }
}

/** `/proc/<pid>/stat`. The name in brackets may hold brackets itself, so fields are counted after the last one. */
export function parseProcessStat(text: string): ProcessStat {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const field = (number: number) => Number(fields[number - 3])
  // 14 to 17: user, system, and both again for children that ended and were waited for.
  const ticks = field(14) + field(15) + field(16) + field(17)
  return { pid: Number.parseInt(text, 10), parent: field(4), ticks }
}

export function treeTicks(processes: readonly ProcessStat[], root: number): number {
  return treeOf(processes, root).reduce((sum, { ticks }) => sum + ticks, 0)
}

/** The first line of `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal, guest (already in user). */
export function parseMachineStat(text: string): MachineStat {
  const fields = (text.split('\n')[0] ?? '').trim().split(/\s+/).slice(1, 9).map(Number)
  const [user = 0, nice = 0, system = 0, , , interrupts = 0, softInterrupts = 0, steal = 0] = fields
  // Interrupts are mostly our own loopback packets. Kernels that charge them to no process make others look busier than
  // they are, which errs on the side of a void run.
  const busyTicks = user + nice + system + interrupts + softInterrupts + steal
  return { busyTicks, capacityTicks: fields.reduce((sum, ticks) => sum + ticks, 0) }
}

export function parseRssBytes(status: string): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024
}

function readMachine(): MachineStat & { ourTicks: number } {
  return { ...parseMachineStat(readText('/proc/stat')), ourTicks: treeTicks(readProcesses(), process.pid) }
}

function readProcesses(): ProcessStat[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids
    .map((pid) => readText(`/proc/${pid}/stat`))
    .filter((text) => text !== '')
    .map(parseProcessStat)
}

function treeOf(processes: readonly ProcessStat[], root: number): ProcessStat[] {
  const own = processes.filter(({ pid }) => pid === root)
  const children = processes.filter(({ parent }) => parent === root)
  return [...own, ...children.flatMap(({ pid }) => treeOf(processes, pid))]
}

// A process may end between the listing and the reading.
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
