// The smallest possible server on node:http.
import { createServer } from 'node:http'

createServer((_, response) => response.end('here')).listen(Number(process.argv[2]), '127.0.0.1')
