// Runs the gateway like bin/gatehouse.js, and says at the end which modules its main thread has loaded: a line for each of them
// in the file that LOADED_MODULES names.
import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const loaded = []
registerHooks({
  load(url, context, next) {
    loaded.push(url)
    return next(url, context)
  },
})
process.on('exit', () => writeFileSync(process.env.LOADED_MODULES, loaded.join('\n')))
await import('../../bin/gatehouse.js')
