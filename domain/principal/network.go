package principal

// Network is a range of IPv6 addresses. IPv4 addresses are mapped into IPv6. The domain parses no addresses.
type Network struct {
	Address [16]byte
	Bits    int // of the prefix, from 0 to 128
}

// mapped is the prefix of mapped IPv4 addresses.
var mapped = [12]byte{10: 0xff, 11: 0xff}

// Contains reports whether a network contains all of another one. An IPv6 network contains no IPv4 address, however
// large it is.
func (n Network) Contains(other Network) bool {
	ipv4 := other.Bits >= 8*len(mapped) && [12]byte(other.Address[:]) == mapped
	if other.Bits < n.Bits || ipv4 && n.Bits < 8*len(mapped) {
		return false
	}
	whole := n.Bits / 8
	for i := range whole {
		if n.Address[i] != other.Address[i] {
			return false
		}
	}
	rest := n.Bits % 8
	return rest == 0 || n.Address[whole]>>(8-rest) == other.Address[whole]>>(8-rest)
}

// anyHas reports whether one of the networks contains all of another.
func anyHas(all []Network, other Network) bool {
	for _, n := range all {
		if n.Contains(other) {
			return true
		}
	}
	return false
}
