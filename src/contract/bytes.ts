import Type from '../schema/type.ts'

/** A body that is not JSON: the bytes of a file. */
export const BYTES = Type.String({ format: 'binary' })

/** The media type of a stored file is its own; a type that a browser would run is sent as plain bytes. */
export const FILE_TYPES = ['application/octet-stream', '*/*']
