import { pathSegment } from '../../wire/path-segment.ts'

/** A name with slashes, as a path of its own: no part of it may lead upwards. */
export function modelPath(model: string): string {
  return model
    .split('/')
    .map((part) => pathSegment(part))
    .join('/')
}
