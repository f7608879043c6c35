const MB = 1024 * 1024

export function inMb(bytes: number): string {
  return `${(bytes / MB).toFixed(1)} MB`
}
