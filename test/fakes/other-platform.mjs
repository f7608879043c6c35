// Imported before everything else, makes a process believe that it runs on the platform that OTHER_PLATFORM names, and takes away
// what Node does not have there.
import fs from 'node:fs'
import { open } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { Server } from 'node:net'

const platform = process.env.OTHER_PLATFORM
Object.defineProperty(process, 'platform', { value: platform })
refuseSharedPorts()
if (platform === 'win32') await forgetModesAndFolders()

function refuseSharedPorts() {
  const { listen } = Server.prototype
  Server.prototype.listen = function (...parameters) {
    if (!parameters[0]?.reusePort) return listen.apply(this, parameters)
    process.nextTick(() => this.emit('error', failure('listen', 'ENOTSUP')))
    return this
  }
}

/** On Windows every file seems to be readable for everybody, and folders cannot be flushed. */
async function forgetModesAndFolders() {
  const { statSync } = fs
  fs.statSync = (...parameters) => {
    const stat = statSync(...parameters)
    if (stat) stat.mode |= 0o666
    return stat
  }
  syncBuiltinESMExports()
  const handle = await open(import.meta.filename)
  const handles = Object.getPrototypeOf(handle)
  await handle.close()
  const { sync } = handles
  handles.sync = async function () {
    if ((await this.stat()).isDirectory()) throw failure('fsync', 'EPERM')
    return sync.call(this)
  }
}

function failure(call, code) {
  return Object.assign(new Error(`${call} ${code}`), { code })
}
