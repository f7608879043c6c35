/** The word beside the number makes the colour unnecessary. */
export function Status({ status, code }: { status: number; code: string | null }) {
  const isGood = status < 400 && code === null
  return (
    <span class={`status ${isGood ? 'good' : status === 429 || status === 499 ? 'warn' : 'bad'}`}>
      {status}
      {code && <span class="code"> {code}</span>}
    </span>
  )
}
