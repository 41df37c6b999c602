#!/bin/sh
# Makes redoc.standalone.js.gz and LICENSE.txt again, from the package of this version. Needs npm and
# openssl.
#
# Nothing is changed but the address of a logo, which each reader's browser would fetch from another host: an empty
# image in its place is not shown.
set -eu
version=2.5.4
sum=M6jWhG1qoBnH6TFmzJnstyCZ87HmOY/UzDm78mHiYihEdlV/YcS9ogOo1NlElnJMeLsyxHFe2yFc4sNjHTrABQ==
cd "$(dirname "$0")"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm pack --silent --pack-destination "$folder" "redoc@$version" >/dev/null
test "$(openssl dgst -sha512 -binary "$folder/redoc-$version.tgz" | openssl base64 -A)" = "$sum"
tar -xzf "$folder/redoc-$version.tgz" -C "$folder"
cat "$folder/package/LICENSE" "$folder/package/bundles/redoc.standalone.js.LICENSE.txt" > LICENSE.txt
sed 's|https://cdn.redoc.ly/redoc/logo-mini.svg|data:,|; /^\/\/# sourceMappingURL=/d' \
  "$folder/package/bundles/redoc.standalone.js" | gzip -9n > redoc.standalone.js.gz
