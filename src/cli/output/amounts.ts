import { MB } from '../../base/units/units.ts'

export function inMb(bytes: number): string {
  return `${(bytes / MB).toFixed(1)} MB`
}
