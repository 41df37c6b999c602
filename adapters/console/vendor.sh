#!/bin/sh
# Makes files/vendor again, from the packages of these versions. Needs npm and openssl.
#
# Nothing is changed but how the modules name each other: a browser finds them by their file alone.
set -eu
preact=11.2.0
preact_sum=/HfHI/7N84e6GrWBJ3J280z3mLaRJiDcSvj/A+y/4AbLnND/1UlGHe1sR6oYuTGwId0nP7dqDU9OnLxMPZ7xBg==
htm=3.1.1
htm_sum=983Vyg8NwUE7JkZ6NmOqpCZ+sh1bKv2iYTlUkzlWmA5JD2acKoxd4KVxbMmxX/85mtfdnDmTFoNKcg5DGAvxNQ==
uqr=0.1.3
uqr_sum=0rjE8iEJe4YmT9TOhwsZtqCMRLc5DXZUI2UEYUUg63ikBkqqE5EYWaI0etFe/5KUcmcYwLih2RND1kq+hrUJXA==
cd "$(dirname "$0")/files/vendor"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# unpack NAME VERSION SUM
unpack() {
  npm pack --silent --pack-destination "$folder" "$1@$2" >/dev/null
  test "$(openssl dgst -sha512 -binary "$folder/$1-$2.tgz" | openssl base64 -A)" = "$3"
  mkdir "$folder/$1"
  tar -xzf "$folder/$1-$2.tgz" -C "$folder/$1"
}

unpack preact "$preact" "$preact_sum"
unpack htm "$htm" "$htm_sum"
unpack uqr "$uqr" "$uqr_sum"
{ echo "/*! preact $preact, MIT */"; sed '/^\/\/# sourceMappingURL=/d' "$folder/preact/package/dist/preact.mjs"; } > preact.js
{ echo "/*! preact/hooks $preact, MIT */"
  sed '/^\/\/# sourceMappingURL=/d; s|from"preact"|from"./preact.js"|' "$folder/preact/package/hooks/dist/hooks.mjs"; } > hooks.js
{ echo "/*! htm $htm, Apache-2.0 */"; cat "$folder/htm/package/dist/htm.mjs"; } > htm.js
{ echo "/*! uqr $uqr, MIT */"; cat "$folder/uqr/package/dist/index.mjs"; } > uqr.js
cp "$folder/preact/package/LICENSE" ../../LICENSE.preact.txt
cp "$folder/htm/package/LICENSE" ../../LICENSE.htm.txt
cp "$folder/uqr/package/LICENSE" ../../LICENSE.uqr.txt
