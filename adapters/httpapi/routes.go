package httpapi

import (
	"net/http"
	"slices"
	"strings"
)

// mostSegments and longestSegment bound the paths for which nearRoute searches.
const (
	mostSegments   = 8
	longestSegment = 40
	mostPrefixes   = 2 // wrong segments in front of a route, such as api and v1
)

// route is the method and path of an operation, as clients see them.
type route struct {
	method   string
	segments []string // of the path below the base path; {id} is a parameter, as in the OpenAPI document
}

// routesOf returns the routes of operations.
func routesOf(operations []operation) (routes []route) {
	for _, o := range operations {
		segments := strings.Split(strings.TrimPrefix(o.path, "/"), "/")
		for i, s := range segments {
			if name, is := strings.CutPrefix(s, ":"); is {
				segments[i] = "{" + name + "}"
			}
		}
		routes = append(routes, route{o.method, segments})
	}
	return routes
}

func isParameter(segment string) bool { return strings.HasPrefix(segment, "{") }

// nearRoute names the operation that the client of an unknown route probably meant, "" if none is near: the path has
// wrong slashes, letters or a wrong prefix. The answer quotes nothing of the path.
func (a *api) nearRoute(method, path string) string {
	path = strings.TrimPrefix(path, a.BasePath)
	if len(path) > mostSegments*longestSegment {
		return ""
	}
	var segments []string
	for segment := range strings.SplitSeq(path, "/") {
		if len(segment) > longestSegment {
			return ""
		}
		if segment != "" {
			segments = append(segments, segment)
		}
	}
	for skipped := range min(mostPrefixes, len(segments)) + 1 {
		if skipped > 0 && slices.ContainsFunc(a.routes, func(r route) bool {
			return slices.Contains(r.segments, segments[skipped-1])
		}) {
			break // a segment of a route is not a prefix
		}
		if near := a.nameOf(method, func(r route) bool { return r.isNear(segments[skipped:]) }); near != "" {
			return near
		}
	}
	if len(segments) == 3 { // the id and the verb may be swapped
		segments[1], segments[2] = segments[2], segments[1]
		return a.nameOf(method, func(r route) bool { return r.isNear(segments) })
	}
	return ""
}

// isNear reports whether a path has the segments of the route, apart from some letters.
func (r route) isNear(path []string) bool {
	if len(path) != len(r.segments) {
		return false
	}
	for i, segment := range r.segments {
		if isParameter(segment) {
			if _, err := parseSomeID(path[i]); err != nil && segment == "{id}" {
				return false
			}
		} else if !isNear(path[i], segment) {
			return false
		}
	}
	return true
}

// literalRoute names the operation whose path has a literal in the position of an invalid id: /lines/test belongs to
// POST, and /lines/active to PATCH /lines/active/{id}.
func (a *api) literalRoute(method, path string) string {
	segments := strings.Split(strings.TrimPrefix(strings.TrimPrefix(path, a.BasePath), "/"), "/")
	return a.nameOf(method, func(r route) bool {
		rest := r.segments[min(len(segments), len(r.segments)):]
		return slices.Equal(r.segments[:len(r.segments)-len(rest)], segments) &&
			!slices.ContainsFunc(segments, isParameter) &&
			!slices.ContainsFunc(rest, func(s string) bool { return !isParameter(s) })
	})
}

// nameOf names the first matching route with this method, or else the first matching route.
func (a *api) nameOf(method string, matches func(route) bool) string {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	found := -1
	for i, r := range a.routes {
		if matches(r) && (found < 0 || r.method == method && a.routes[found].method != method) {
			found = i
		}
	}
	if found < 0 {
		return ""
	}
	path := "/" + strings.Join(a.routes[found].segments, "/")
	if !probes[path] {
		path = a.BasePath + path
	}
	return a.routes[found].method + " " + path
}
