type Props = { text: string; sure: string; onSure: () => void; isHarmless?: boolean }

/** The second step of an action of a bar: what happens, and the button that does it. */
export function ConfirmStep({ text, sure, onSure, isHarmless }: Props) {
  return (
    <>
      <p>{text}</p>
      <button type="button" class={isHarmless ? 'primary' : 'danger'} onClick={onSure}>
        {sure}
      </button>
    </>
  )
}
