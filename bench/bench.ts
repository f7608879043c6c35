// The benchmark: a bare proxy, Gatehouse and other gateways side by side. `npm run bench -- --help` lists the flags.
import { compareCheckouts } from './against.ts'
import { startBifrost } from './bifrost.ts'
import { type Contender, directly, startBare, startGatehouse, startPortkey } from './contenders.ts'
import { watchMachine } from './cpu.ts'
import { fetchLitellm, type Litellm, startLitellm } from './litellm.ts'
import { type LoadGenerator, loadGenerator } from './load.ts'
import { measureMemory } from './memory.ts'
import { measureLevels } from './memory-levels.ts'
import { fetchPortkey, type Portkey } from './portkey.ts'
import { profileGatehouse } from './profile.ts'
import { type Run, reportOf } from './report.ts'
import { checkAnswer, STREAMS_TITLE, streamWork, WHOLE, wholeWork } from './scenarios.ts'
import { readSettings, type Settings, USAGE } from './settings.ts'
import { runSlices } from './slices.ts'
import { startNodeUpstream, startWholeUpstream, type Upstream } from './upstream.ts'
import { openWorkplace, type Workplace } from './workplace.ts'
import { writeIntoReadmes } from './write-readmes.ts'
import { MINUTE_MS } from '../src/base/units/units.ts'

const RUN_LIMIT_MS = 45 * MINUTE_MS
const MEMORY_SLICE_SECONDS = 5
const NO_PORTKEY = 'Portkey was not measured'
const NO_LITELLM = 'LiteLLM was not measured'
const NO_BIFROST = 'Bifrost was not measured'
const OPTIONAL = [NO_PORTKEY, NO_LITELLM, NO_BIFROST]

type Stage = {
  workplace: Workplace
  settings: Settings
  generator: LoadGenerator
  run: Run
  upstream: Upstream
  portkey?: Portkey
  litellm?: Litellm
}

await main(process.argv.slice(2))

async function main(parameters: string[]): Promise<void> {
  if (parameters.includes('--help')) return console.log(USAGE)
  try {
    await bench(readSettings(parameters))
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}

async function bench(settings: Settings): Promise<void> {
  const workplace = openWorkplace()
  const limit = setTimeout(() => process.kill(process.pid, 'SIGTERM'), RUN_LIMIT_MS)
  try {
    if (settings.against) return console.log(await compareCheckouts(workplace, settings, settings.against))
    const run = await measureAll(workplace, settings)
    console.log(reportOf(run))
    if (settings.write) console.error(writeIntoReadmes(run))
    // A run without another gateway is still a run; a run that could not measure Gatehouse is not.
    const isOptional = (note: string) => OPTIONAL.some((words) => note.startsWith(words))
    if (!run.notes.every(isOptional)) process.exitCode = 1
  } finally {
    clearTimeout(limit)
    await workplace.close()
  }
}

async function measureAll(workplace: Workplace, settings: Settings): Promise<Run> {
  const generator = loadGenerator(workplace)
  const run: Run = { settings, tools: `load by ${generator.name}`, notes: [], results: [], alone: [], profiles: [] }
  const stage: Stage = { workplace, settings, generator, run, upstream: await startWholeUpstream(workplace) }
  run.tools += `, whole answers by ${stage.upstream.kind}`
  await orNote(run, NO_PORTKEY, async () => {
    stage.portkey = await fetchPortkey(workplace)
  })
  if (settings.withOthers.litellm)
    await orNote(run, NO_LITELLM, async () => {
      stage.litellm = await fetchLitellm(workplace)
    })
  await measureWholeAnswers(stage)
  const used = watchMachine()
  await measureGatehouseAlone(stage)
  run.alone.push(used())
  await stage.upstream.running.stop()
  if (settings.only.includes('streams'))
    await measureStreams({ ...stage, upstream: await startNodeUpstream(workplace) })
  return run
}

async function measureWholeAnswers(stage: Stage): Promise<void> {
  const { settings, generator, run, upstream } = stage
  const requests = settings.only.filter((name) => WHOLE[name] !== undefined)
  if (requests.length === 0) return
  const contenders = await startAll(stage)
  for (const name of requests) {
    const scenario = WHOLE[name]!
    const field = scenario.withDirect ? [directly(upstream.baseUrl), ...contenders] : contenders
    say(scenario.title)
    const slices = await runSlices(field, settings, wholeWork(generator, scenario, settings.seconds))
    run.results.push({ scenario: name, title: scenario.title, slices })
  }
  await stopAll(contenders)
}

async function measureStreams(stage: Stage): Promise<void> {
  const { settings, run, upstream, workplace } = stage
  const contenders = await startAll(stage)
  const work = streamWork(upstream, settings.seconds)
  say(STREAMS_TITLE)
  const slices = await runSlices([directly(upstream.baseUrl), ...contenders], settings, work)
  run.results.push({ scenario: 'streams', title: STREAMS_TITLE, slices })
  await stopAll(contenders)
  if (!isProfiled(settings)) return
  await orNote(run, 'no profile of streams', async () => {
    run.profiles.push({ title: STREAMS_TITLE, profiled: await profileGatehouse(workplace, upstream.baseUrl, work) })
  })
}

async function measureGatehouseAlone({ workplace, settings, generator, run, upstream }: Stage): Promise<void> {
  const work = wholeWork(generator, WHOLE.small!, MEMORY_SLICE_SECONDS)
  if (settings.only.includes('memory')) {
    say('memory')
    await orNote(run, 'memory was not measured', async () => {
      const gatehouse = await startGatehouse(workplace, upstream.baseUrl)
      run.memory = await measureMemory(gatehouse, work).finally(() => stopAll([gatehouse]))
    })
    say('memory levels')
    await orNote(run, 'the memory levels were not measured', async () => {
      run.memoryLevels = await measureLevels(workplace, generator, upstream)
    })
  }
  for (const name of profiledScenarios(settings)) {
    const scenario = WHOLE[name]!
    say(`profile, ${scenario.title}`)
    await orNote(run, `no profile of ${scenario.title}`, async () => {
      const slice = wholeWork(generator, scenario, settings.seconds)
      const profiled = await profileGatehouse(workplace, upstream.baseUrl, slice)
      if (name === 'small' && settings.only.includes('ledger')) run.ledger = profiled
      if (isProfiled(settings)) run.profiles.push({ title: scenario.title, profiled })
    })
  }
}

function profiledScenarios(settings: Settings): ('small' | 'large')[] {
  if (isProfiled(settings)) return ['small', 'large']
  return settings.only.includes('ledger') ? ['small'] : []
}

function isProfiled({ hottest, steps }: Settings): boolean {
  return hottest || steps
}

async function startAll({ workplace, settings, upstream, portkey, litellm, run }: Stage): Promise<Contender[]> {
  const contenders: Contender[] = []
  const start = async (starting: Promise<Contender>) => {
    const contender = await starting
    try {
      await checkAnswer(contender)
    } catch (error) {
      await stopAll([contender])
      throw error
    }
    contenders.push(contender)
  }
  await start(startBare(workplace, upstream.baseUrl))
  await orNote(run, 'Gatehouse was not measured', () => start(startGatehouse(workplace, upstream.baseUrl)))
  if (portkey) {
    await orNote(run, NO_PORTKEY, () => start(startPortkey(workplace, upstream.baseUrl, portkey)))
  }
  if (litellm) await orNote(run, NO_LITELLM, () => start(startLitellm(workplace, upstream.baseUrl, litellm)))
  const { bifrost } = settings.withOthers
  if (bifrost) await orNote(run, NO_BIFROST, () => start(startBifrost(workplace, upstream.baseUrl, bifrost)))
  return contenders
}

async function stopAll(contenders: readonly Contender[]): Promise<void> {
  await Promise.all(contenders.map((contender) => contender.running?.stop()))
}

/** What cannot be measured is noted in the report, and the run continues. */
async function orNote(run: Run, what: string, action: () => Promise<void>): Promise<void> {
  try {
    await action()
  } catch (error) {
    const note = `${what}: ${error instanceof Error ? error.message : String(error)}`.replaceAll(/\s+/g, ' ')
    console.error(note)
    if (!run.notes.includes(note)) run.notes.push(note)
  }
}

function say(title: string): void {
  process.stderr.write(`${title}\n`)
}
