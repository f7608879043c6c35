const WORLD_READABLE = 0o004

/** Windows has lists of access instead of modes, and Node shows every file as readable for everybody. */
export function isWorldReadable({ mode }: { mode: number }): boolean {
  return process.platform !== 'win32' && (mode & WORLD_READABLE) !== 0
}
