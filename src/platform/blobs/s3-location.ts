// Parses BLOB_URL. Errors are shown to the operator at the start and never repeat the value, which may contain a secret.

/** A bucket, and our folder in it; `name` is both without the endpoint. */
export type S3Location = { name: string; region: string; urlOf(id: string): string }

const DEFAULT_REGION = 'us-east-1'
const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,62}$/
const REGION = /^[a-z0-9-]{1,64}$/
const PARAMETERS = ['endpoint', 'region']

/** `s3://bucket/prefix?endpoint=…&region=…`. Without an endpoint, it is Amazon's own. */
export function parseBlobUrl(blobUrl: string): S3Location {
  const [, bucket = '', prefix = '', query = ''] = /^s3:\/\/([^/?#]*)(\/[^?#]*)?(?:\?([^#]*))?$/.exec(blobUrl) ?? []
  const parameters = new URLSearchParams(query)
  const unknown = [...parameters.keys()].filter((name) => !PARAMETERS.includes(name))
  if (!BUCKET.test(bucket)) throw fault('should look like s3://bucket/prefix?endpoint=…&region=…')
  if (unknown.length > 0) throw fault('accepts only the parameters endpoint and region')
  const region = parameters.get('region') ?? DEFAULT_REGION
  if (!REGION.test(region)) throw fault('has an invalid region')
  const base = `${bucketUrl(bucket, region, parameters.get('endpoint'))}${cleanPrefix(prefix)}`
  return { name: `${bucket}${cleanPrefix(prefix)}`, region, urlOf: (id) => `${base}/${id}` }
}

/**
 * At a custom endpoint, the bucket is part of the path. At Amazon it is part of the host, unless a dot in it would not
 * match the certificate.
 */
function bucketUrl(bucket: string, region: string, endpoint: string | null): string {
  if (endpoint !== null) return `${endpointUrl(endpoint)}/${bucket}`
  const host = `s3.${region}.amazonaws.com`
  return bucket.includes('.') ? `https://${host}/${bucket}` : `https://${bucket}.${host}`
}

function endpointUrl(endpoint: string): string {
  const url = URL.parse(endpoint)
  if (!url || !/^https?:$/.test(url.protocol)) throw fault('has an endpoint that is not an http or https URL')
  if (url.username || url.password || url.search || url.hash)
    throw fault(
      'has an endpoint with more than a host and a path; put keys into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    )
  return url.origin + url.pathname.replace(/\/+$/, '')
}

function cleanPrefix(prefix: string): string {
  const segments = prefix.split('/').filter(Boolean).map(decodeSegment)
  if (segments.some((segment) => segment === '.' || segment === '..'))
    throw fault('has a prefix with `.` or `..` as a folder')
  return segments.map((segment) => `/${encodeURIComponent(segment)}`).join('')
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw fault('has a prefix that is not URL-encoded')
  }
}

function fault(sentence: string): Error {
  return new Error(`BLOB_URL ${sentence}.`)
}
