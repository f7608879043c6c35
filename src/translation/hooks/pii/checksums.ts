// Checksums of digits in text form.

/** Used by bank cards and many other numbers (ISO/IEC 7812-1). */
export function passesLuhn(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}

/** The remainder of a number of any length, computed nine digits at a time. */
export function modulo(digits: string, divisor: number): number {
  let rest = 0
  for (const digit of digits) rest = (rest * 10 + Number(digit)) % divisor
  return rest
}

/** The sum of all digits, each times the weight of its position. The weights repeat. */
export function weighted(digits: string, weights: readonly number[]): number {
  return [...digits].reduce((sum, digit, index) => sum + Number(digit) * weights[index % weights.length]!, 0)
}

/** ISO/IEC 7064, MOD 11,10: the last digit checks the others. */
export function passesMod1110(digits: string): boolean {
  let product = 10
  for (const digit of digits.slice(0, -1)) {
    const sum = (Number(digit) + product) % 10
    product = ((sum === 0 ? 10 : sum) * 2) % 11
  }
  return (11 - product) % 10 === Number(digits.at(-1))
}

const TIMES = [
  ...['0123456789', '1234067895', '2340178956', '3401289567', '4012395678'],
  ...['5987604321', '6598710432', '7659821043', '8765932104', '9876543210'],
]
const TURNED = [
  ...['0123456789', '1576283094', '5803796142', '8916043527'],
  ...['9453126870', '4286573901', '2793806415', '7046913258'],
]

/** Verhoeff's checksum over the dihedral group D5. */
export function passesVerhoeff(digits: string): boolean {
  const check = [...digits].reverse().reduce((sum, digit, index) => {
    return Number(TIMES[sum]![Number(TURNED[index % 8]![Number(digit)])])
  }, 0)
  return check === 0
}
