import { useEffect, useRef } from 'preact/hooks'
import type { Turn } from './chat-body.ts'

/** How near the end of the conversation counts as being there. */
const NEAR_PX = 160

/** The end of the conversation stays in sight while it grows, unless the person has scrolled away from it. */
export function useFollowed(turns: readonly Turn[]) {
  const end = useRef<HTMLDivElement>(null)
  const isFollowing = useRef(true)
  useEffect(() => {
    const scrolled = () => {
      const bottom = end.current?.getBoundingClientRect().bottom ?? 0
      isFollowing.current = bottom < window.innerHeight + NEAR_PX
    }
    addEventListener('scroll', scrolled, { passive: true })
    return () => removeEventListener('scroll', scrolled)
  }, [])
  // A person who sends a message wants to see its answers.
  useEffect(() => {
    isFollowing.current = true
  }, [turns.length])
  useEffect(() => {
    if (isFollowing.current && turns.length > 0) end.current?.scrollIntoView({ block: 'nearest' })
  }, [turns])
  return end
}
