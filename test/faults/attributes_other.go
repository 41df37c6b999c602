//go:build !linux

package faults

import "syscall"

func attributes() *syscall.SysProcAttr { return nil }
