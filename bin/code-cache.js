// V8's code cache, so that a start skips compiling. A checkout keeps it beside its packages and fills it at the first start. The
// package and the image bring it along (pack/write-code-cache.ts). Without a cache that fits, or without a place for it, a start takes longer.
import { existsSync, lstatSync, mkdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import module from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cachedDataVersionTag } from 'node:v8'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Node and the kind of processor that the shipped code is for. */
const COMPILED_FOR = `${process.version}-${process.arch}`
const SHIPPED_CODE = join(ROOT, 'lib', 'compiled', COMPILED_FOR)

/** Worker threads and API processes find the cache through the variables. An operator may choose another folder. */
export function openCodeCache({ isCheckout }) {
  if (process.env.NODE_COMPILE_CACHE !== undefined) return
  // The names in a portable cache do not depend on where the package is.
  if (!isCheckout) process.env.NODE_COMPILE_CACHE_PORTABLE = '1'
  process.env.NODE_COMPILE_CACHE = isCheckout ? join(ROOT, 'node_modules', '.cache', 'gatehouse') : folderOfPackage()
  module.enableCompileCache?.(process.env.NODE_COMPILE_CACHE)
}

/**
 * Node names the folder with the compiled code after itself, its options, the features of the processor and the user, of which
 * only the first two matter to the code. So the folder of this process is a link to what was shipped.
 */
function folderOfPackage() {
  const folder = join(ROOT, 'code-cache')
  const tag = cachedDataVersionTag().toString(16).padStart(8, '0')
  const name = [COMPILED_FOR, tag, process.getuid?.()].filter((part) => part !== undefined).join('-')
  const link = join(folder, name)
  try {
    mkdirSync(targetOf(folder), { recursive: true })
    if (existsSync(SHIPPED_CODE) && !existsSync(link)) {
      // A package that was moved has a link that leads nowhere.
      rmSync(link, { force: true })
      symlinkSync(SHIPPED_CODE, link, 'junction')
    }
  } catch {
    // Nothing can be written here, or another process was faster.
  }
  return folder
}

/** In the image, the folder is a link to a place that can be written. */
function targetOf(folder) {
  return lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(folder) : folder
}
