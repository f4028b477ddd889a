import CMulticamInject
import Glibc
import MulticamMedia

/// Makes system calls on files below a folder fail according to a plan, and makes descriptors run out.
enum SystemCalls {
    private static let plan = ConditionLock<FaultPlan?>(nil)
    private static let limit = ConditionLock<rlimit?>(nil)

    static func begin(below folder: String, _ plan: FaultPlan) {
        self.plan.withLock { $0 = plan }
        inject_begin(folder) { call, path in
            guard let call, let path, let plan = SystemCalls.plan.withLock({ $0 }) else { return 0 }
            let seam = "file.\(String(cString: call)).\(String(cString: path))"
            return plan.next(seam).flatMap { FileFaults.numbers[$0] } ?? 0
        }
    }

    static func end() {
        inject_end()
        plan.withLock { $0 = nil }
    }

    /// If the plan's fault is at this seam, limits the available descriptors to one fewer than the number of
    /// the fault's call.
    static func limitDescriptors(_ plan: FaultPlan, at seam: String) {
        guard let fault = plan.fault, fault.seam == seam else { return _ = plan.next(seam) }
        for _ in 0..<fault.call { _ = plan.next(seam) }
        var now = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &now)
        limit.withLock { $0 = now }
        // The lowest free descriptor is always assigned first.
        var free = 0
        var number: Int32 = 0
        while free < fault.call - 1 {
            if fcntl(number, F_GETFD) < 0 { free += 1 }
            number += 1
        }
        while fcntl(number, F_GETFD) >= 0 { number += 1 }
        now.rlim_cur = rlim_t(number)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &now)
    }

    static func restoreDescriptors() {
        guard var before = limit.withLock({ $0.take() }) else { return }
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &before)
    }
}
