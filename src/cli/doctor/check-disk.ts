import { constants } from 'node:fs'
import { access, stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { failed, type Finding, ok, warning } from './finding.ts'
import { MB } from '../../base/units/units.ts'

const LITTLE_MB = 1_024
const TOO_LITTLE_MB = 100
const OTHERS = 0o077

/** The data folder: whether this user may write to it, whether others may read it, and how much space is left. */
export async function checkDisk(dataDir: string): Promise<Finding[]> {
  const folder = await nearestFolder(dataDir)
  try {
    await access(folder, constants.W_OK | constants.X_OK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const advice = `Change the owner or the mode of ${folder}, or set DATA_DIR (--data-dir) to another folder.`
    return [failed('disk', `This user may not write to ${folder} (${code}).`, advice)]
  }
  return [...(folder === dataDir ? await checkMode(dataDir) : []), await checkSpace(dataDir, folder)]
}

/** The folder itself, or the one in which it will be created. */
async function nearestFolder(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined)
  return found || dirname(path) === path ? path : nearestFolder(dirname(path))
}

/** Windows has no such modes. */
async function checkMode(dataDir: string): Promise<Finding[]> {
  const { mode } = await stat(dataDir)
  if (process.platform === 'win32' || (mode & OTHERS) === 0) return []
  return [warning('disk', `Other users may look into ${dataDir}.`, `Run: chmod 700 ${dataDir}`)]
}

async function checkSpace(dataDir: string, folder: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(folder)
  const freeMb = Math.floor((bavail * bsize) / MB)
  const text = `${dataDir}${folder === dataDir ? '' : ' will be created'}, ${freeMb} MB free`
  const advice = 'Free some space: ledger lines, uploads and the database need it.'
  if (freeMb < TOO_LITTLE_MB) return failed('disk', text, advice)
  return freeMb < LITTLE_MB ? warning('disk', text, advice) : ok('disk', text)
}
