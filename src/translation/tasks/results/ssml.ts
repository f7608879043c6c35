type Prosody = {
  speed?: number | null | undefined
  speaking_pitch?: number | null | undefined
  speaking_volume?: number | null | undefined
}

/** The text as SSML with prosody settings. */
export function toSsml(text: string, { speed, speaking_pitch, speaking_volume }: Prosody): string {
  const attributes = [
    typeof speed === 'number' && ` rate="${Math.round(speed * 100)}%"`,
    speaking_pitch && ` pitch="${signed(speaking_pitch)}%"`,
    speaking_volume && ` volume="${signed(speaking_volume)}%"`,
  ].filter(Boolean)
  return attributes.length > 0 ? `<prosody${attributes.join('')}>${escaped(text)}</prosody>` : escaped(text)
}

export function escaped(text: string): string {
  return text.replace(/[<>&"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

function signed(value: number): string {
  return value > 0 ? `+${value}` : String(value)
}
