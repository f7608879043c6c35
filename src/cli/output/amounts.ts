import { MB } from '../../units/units.ts'

export function inMb(bytes: number): string {
  return `${(bytes / MB).toFixed(1)} MB`
}
