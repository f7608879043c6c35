import cluster, { type Worker } from 'node:cluster'
import type { ProcessReport } from '../platform/config/report/config-report.ts'
import { ConfigError } from '../platform/config/config-error.ts'
import type { ConfigFile } from '../platform/config/config-source.ts'
import type { Configuration } from '../server/configuration.ts'
import type { OtherProcesses } from '../server/reload-config.ts'
import { answerProcess, askProcess, type Answers, type MemberStart, ProcessSilent } from './worker-messages.ts'

const REPORT_MS = 1_000
/** A worker that is starting answers when it has started. */
const PREPARE_MS = 30_000
const COMMIT_MS = 5_000

/** All workers of a cluster reload, or none. */
export function workersOf(list: () => Worker[]): OtherProcesses {
  return {
    reports: async () => (await Promise.all(list().map((worker) => reportOf(worker)))).flat(),
    prepare: async (file) => {
      const prepared = await prepareAll(list(), file)
      return { count: prepared.length, commit: () => commitAll(list, prepared, file) }
    },
  }
}

/** A worker that is too busy to answer in time is left out. */
function reportOf(worker: Worker): Promise<ProcessReport[]> {
  return askProcess(worker, 'report', { limitMs: REPORT_MS }).then(
    (report) => [report],
    () => [],
  )
}

/** A worker that dies meanwhile does not matter: its successor begins with the file that is active then. */
async function prepareAll(workers: Worker[], file: ConfigFile): Promise<Worker[]> {
  const answers = await Promise.all(workers.map((worker) => prepareOne(worker, file)))
  const refusal = answers.find((answer) => answer !== '' && answer !== 'dead')
  if (refusal !== undefined) throw new ConfigError(refusal)
  return workers.filter((_, index) => answers[index] === '')
}

async function prepareOne(worker: Worker, file: ConfigFile): Promise<string> {
  try {
    return await askProcess(worker, 'prepare', { limitMs: PREPARE_MS, file })
  } catch (error) {
    if (worker.isDead()) return 'dead'
    return error instanceof ProcessSilent ? error.message : String(error)
  }
}

/** Workers that were started after the others were asked are brought up to date too. */
async function commitAll(list: () => Worker[], prepared: Worker[], file: ConfigFile): Promise<void> {
  const late = list().filter((worker) => !prepared.includes(worker))
  const alsoPrepared = await prepareAll(late, file).catch(() => [])
  await Promise.all([...prepared, ...alsoPrepared].map((worker) => commitOne(worker)))
}

/** A worker that cannot be reached any more would serve with the old configuration, so it is replaced. */
async function commitOne(worker: Worker): Promise<void> {
  await askProcess(worker, 'commit', { limitMs: COMMIT_MS }).catch(() => worker.process.kill('SIGKILL'))
}

/** Hands new workers the config file that is active, which may differ from the file on disk, and the port. */
export function handOutStart(start: () => MemberStart): void {
  cluster.on('fork', (worker) => answerProcess(worker, { start }))
}

/** In a worker: what the primary process hands out. */
export function startOfPrimary(): Promise<MemberStart> {
  return askProcess(process, 'start', { limitMs: PREPARE_MS })
}

type Opened = Promise<{ configuration: Configuration }>

/** In a worker: answers the primary process as soon as the gateway is open. */
export function answerPrimary(opened: Opened): void {
  let commit = () => {}
  answerProcess(process, {
    report: async () => (await opened).configuration.report(),
    prepare: async (file) => {
      try {
        ;({ commit } = (await opened).configuration.prepare(file!))
        return ''
      } catch (error) {
        return (error as Error).message
      }
    },
    commit: (): Answers['commit'] => {
      commit()
      return true
    },
  })
}
