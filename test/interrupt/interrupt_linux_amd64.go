package interrupt

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"resellerd/test/require"
)

const (
	wall        = 0x40000000 // __WALL: threads as well
	exitKill    = 0x100000   // PTRACE_O_EXITKILL
	syscallInfo = 0x420e     // PTRACE_GET_SYSCALL_INFO
	here        = -100       // AT_FDCWD
	toWrite     = syscall.O_CREAT | syscall.O_TRUNC
	linkAt      = 265
	renameAt    = 264
	renameAt2   = 316
)

// naming is how a call names the file that it changes.
type naming int

const (
	byFD         naming = iota // its first argument is open
	byPath                     // its first argument is a path
	byFolder                   // its first argument is a folder, its second a path in it
	byTarget                   // the same with the third and the fourth: what gets a new name
	whenMade                   // byFolder, for an open that may make the file, or empty it
	pathWhenMade               // byPath, for such an open
)

var calls = map[uint64]struct {
	name string
	how  naming
}{
	syscall.SYS_WRITE: {"write", byFD}, syscall.SYS_PWRITE64: {"pwrite64", byFD}, syscall.SYS_FSYNC: {"fsync", byFD},
	syscall.SYS_FDATASYNC: {"fdatasync", byFD}, syscall.SYS_FTRUNCATE: {"ftruncate", byFD},
	syscall.SYS_FALLOCATE: {"fallocate", byFD}, syscall.SYS_FCHMOD: {"fchmod", byFD},
	syscall.SYS_CHMOD: {"chmod", byPath}, syscall.SYS_UNLINK: {"unlink", byPath}, syscall.SYS_MKDIR: {"mkdir", byPath},
	syscall.SYS_FCHMODAT: {"fchmodat", byFolder}, syscall.SYS_UNLINKAT: {"unlinkat", byFolder},
	syscall.SYS_MKDIRAT: {"mkdirat", byFolder}, syscall.SYS_OPENAT: {"openat", whenMade},
	syscall.SYS_OPEN: {"open", pathWhenMade}, linkAt: {"linkat", byTarget}, renameAt: {"renameat", byTarget},
	renameAt2: {"renameat2", byTarget},
}

// info is struct ptrace_syscall_info.
type info struct {
	op    uint8
	_     [3]uint8
	_     uint32
	_, _  uint64
	nr    uint64
	args  [6]uint64
	spare [2]uint64
}

// Start runs a program, of this environment beside that of the test, has the fault happen at one of its steps below the
// folder, the first of which is 1, and waits until it has ended.
func Start(t testing.TB, folder string, at int, f Fault, environment []string, command ...string) Run {
	t.Helper()
	folder, err := filepath.EvalSymlinks(folder)
	require.NoError(t, err)
	out, err := os.CreateTemp(t.TempDir(), "output")
	require.NoError(t, err)
	defer func() { _ = out.Close() }()
	tr := &tracer{folder: folder, at: at, fault: f, failing: map[int]syscall.Errno{}}
	ended := make(chan error)
	go func() {
		runtime.LockOSThread() // which is the tracer, and dies with the goroutine
		ended <- tr.trace(command, append(os.Environ(), environment...), out)
	}()
	if err = <-ended; errors.Is(err, syscall.EPERM) {
		t.Skipf("no process may be traced here: %v", err)
	}
	require.NoError(t, err)
	content, err := os.ReadFile(out.Name())
	require.NoError(t, err)
	tr.run.Output = string(content)
	return tr.run
}

type tracer struct {
	folder  string
	at      int
	fault   Fault
	pid     int
	failing map[int]syscall.Errno // by the thread whose call is left out, what it gets
	run     Run
}

func (tr *tracer) trace(command, environment []string, out *os.File) error {
	p, err := os.StartProcess(command[0], command, &os.ProcAttr{
		Env: environment, Files: []*os.File{os.Stdin, out, out}, Sys: &syscall.SysProcAttr{Ptrace: true, Setpgid: true},
	})
	if err != nil {
		return err
	}
	tr.pid = p.Pid
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(tr.pid, &status, 0, nil); err != nil {
		return err
	}
	const options = syscall.PTRACE_O_TRACECLONE | syscall.PTRACE_O_TRACESYSGOOD | exitKill
	if err := errors.Join(syscall.PtraceSetOptions(tr.pid, options), syscall.PtraceSyscall(tr.pid, 0)); err != nil {
		return err
	}
	for {
		thread, err := syscall.Wait4(-tr.pid, &status, wall, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err != nil:
			return err
		case status.Exited() || status.Signaled():
			if thread == tr.pid {
				tr.run.Status = status.ExitStatus() // -1 for a signal
				return p.Release()
			}
			continue
		}
		signal := 0
		if stopped := status.StopSignal(); stopped == syscall.SIGTRAP|0x80 {
			if err := tr.called(thread); err != nil {
				return err
			}
		} else if stopped != syscall.SIGTRAP && stopped != syscall.SIGSTOP { // of a new thread
			signal = int(stopped)
		}
		if err := syscall.PtraceSyscall(thread, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
	}
}

// called handles the begin or the end of a call.
func (tr *tracer) called(thread int) error {
	var i info
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PTRACE, syscallInfo, uintptr(thread), unsafe.Sizeof(i),
		uintptr(unsafe.Pointer(&i)), 0, 0)
	if errno == syscall.ESRCH {
		return nil // killed since it stopped
	}
	if errno != 0 {
		return errno
	}
	if result, is := tr.failing[thread]; is && i.op == 2 {
		delete(tr.failing, thread)
		return registers(thread, func(r *syscall.PtraceRegs) { r.Rax = -uint64(result) })
	}
	known, is := calls[i.nr]
	if i.op != 1 || !is {
		return nil
	}
	file, below := tr.file(known.how, i.args)
	if !below {
		return nil
	}
	tr.run.Steps = append(tr.run.Steps, known.name+" "+file)
	if !tr.fault.hits(len(tr.run.Steps), tr.at, known.name) {
		return nil
	}
	if tr.fault == Kill {
		return syscall.Kill(tr.pid, syscall.SIGKILL)
	}
	if tr.failing[thread] = syscall.EIO; tr.fault == Full {
		tr.failing[thread] = syscall.ENOSPC
	}
	return registers(thread, func(r *syscall.PtraceRegs) { r.Orig_rax = ^uint64(0) }) // no call at all
}

func registers(thread int, change func(*syscall.PtraceRegs)) error {
	var r syscall.PtraceRegs
	if err := syscall.PtraceGetRegs(thread, &r); err != nil {
		return err
	}
	change(&r)
	return syscall.PtraceSetRegs(thread, &r)
}

// file returns the file of a call, relative to the folder.
func (tr *tracer) file(how naming, args [6]uint64) (name string, below bool) {
	switch how {
	case byFD:
		name = tr.opened(int32(args[0]))
	case byPath:
		name = tr.text(args[0])
	case byTarget:
		name = tr.within(args[2], args[3])
	case pathWhenMade:
		if args[1]&toWrite != 0 {
			name = tr.text(args[0])
		}
	case byFolder, whenMade:
		if how == byFolder || args[2]&toWrite != 0 {
			name = tr.within(args[0], args[1])
		}
	}
	name, below = strings.CutPrefix(name, tr.folder+"/")
	return name, below
}

func (tr *tracer) opened(fd int32) string {
	name, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", tr.pid, fd)) // "" where it is closed
	return strings.TrimSuffix(name, " (deleted)")
}

func (tr *tracer) within(folder, path uint64) string {
	name := tr.text(path)
	if fd := int32(folder); fd != here && !filepath.IsAbs(name) {
		return filepath.Join(tr.opened(fd), name)
	}
	return name
}

// text reads a path out of the memory of the process.
func (tr *tracer) text(address uint64) string {
	memory, _ := os.Open(fmt.Sprintf("/proc/%d/mem", tr.pid)) // no more to be read where the process has ended
	defer func() { _ = memory.Close() }()
	var b [4096]byte
	n, _ := memory.ReadAt(b[:], int64(address)) // up to the end of the mapped memory
	text, _, _ := bytes.Cut(b[:n], []byte{0})
	return string(text)
}
