// Loaded into a process before the gateway, also into its threads: the wall clock is off by the milliseconds in a file.
import { readFileSync } from 'node:fs'
import { createRequire, syncBuiltinESMExports } from 'node:module'

const now = Date.now
const RealDate = Date

function shift() {
  return Number(readFileSync(process.env.CLOCK_SHIFT_FILE, 'utf8'))
}

globalThis.Date = class extends RealDate {
  constructor(...parameters) {
    if (parameters.length === 0) super(now() + shift())
    else super(...parameters)
  }

  static now() {
    return now() + shift()
  }
}

// Threads do not inherit what NODE_OPTIONS loads.
const threads = createRequire(import.meta.url)('node:worker_threads')
const { Worker } = threads
threads.Worker = class extends Worker {
  constructor(script, options = {}) {
    const execArgv = [...(options.execArgv ?? []), '--import', import.meta.filename]
    super(script, { ...options, execArgv })
  }
}
syncBuiltinESMExports()
