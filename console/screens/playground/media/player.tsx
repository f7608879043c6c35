import { useEffect, useMemo } from 'preact/hooks'

/** The browser keeps the bytes until the address is given back. */
export function Player({ audio }: { audio: Blob }) {
  const url = useMemo(() => URL.createObjectURL(audio), [audio])
  useEffect(() => () => URL.revokeObjectURL(url), [url])
  return (
    <div class="player">
      {/* biome-ignore lint/a11y/useMediaCaption: the text that is spoken is in the form */}
      <audio controls src={url} />
      <a href={url} download={`speech.${audio.type.split('/')[1]?.split(';')[0] ?? 'audio'}`}>
        Download
      </a>
    </div>
  )
}
