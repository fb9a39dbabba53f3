#!/bin/sh
# An invalid command line: exit 2, one sentence, a suggestion, and the command for help.
. "$(dirname "$0")/checks.sh"

refused() { # refused WORDS ARGS...
    words=$1
    shift
    run "$@"
    check "sparcl $*: exits 2" exits 2
    check "sparcl $*: prints \"$words\"" err_has "$words"
    check "sparcl $*: nothing on standard output" out_is_empty
}

run
check "no command exits 2" exits 2
check "no command prints the overview on standard error" err_has "Commands:"
check "no command leaves standard output empty" out_is_empty

refused 'there is no command "trian"; did you mean train?' trian
refused 'did you mean predict?' prediction
refused 'did you mean inspect?' insp
refused 'did you mean devices?' device
refused 'there is no command "xyzzy"' xyzzy
check "a word that is similar to no command has no suggestion" err_lacks "did you mean"
refused 'there is no command ""' ""
refused 'expected a command first' --json
refused 'see: sparcl --help' trian
refused 'there is no command' "$(printf '%0300d' 0)"

refused 'has no option --lrr; did you mean --lr?' train x -o m --lrr 3
refused 'did you mean --epochs?' train x -o m --epoch=3
refused 'did you mean --optimizer?' train x -o m --optimiser adam
refused 'did you mean --optimizer?' train x -o m --opt adam
refused 'did you mean --index-base?' inspect x --indexbase 0
refused 'did you mean --json?' devices --jsno
refused 'has no option -z' train x -z
refused 'see: sparcl train --help' train x -o m --lrr 3
refused '--lr: its value is missing' train x -o m --lr
refused '--json=1' devices --json=1

refused 'an operand is missing; usage: sparcl train TRAIN' train
refused 'an operand is missing' eval model
refused 'an operand is missing' inspect
refused '"c" is one operand too many' predict a b c
refused '-o MODEL is missing' train x
refused '--valid-labels needs --valid' train x -o m --valid-labels y

refused '--loss: expected one of logistic|softmax|squared|poisson|hinge, found "huber"' train x -o m --loss huber
refused '--loss: expected one of' train x -o m --loss logi
refused '--loss: expected one of' train x -o m --loss 'logistic|softmax'
refused '--loss: expected one of' train x -o m --loss ''
refused '--optimizer: expected one of sgd|momentum|' train x -o m --optimizer linear
refused 'did you mean adagrad?' train x -o m --optimizer adagard
refused 'did you mean nesterov?' train x -o m --optimizer nestrov:lr=1
refused '--optimizer: expected one of' train x -o m --optimizer ''
refused 'there is no setting "bta1"; did you mean beta1?' train x -o m --optimizer adam:lr=1,bta1=0.5
refused 'did you mean preset?' train x -o m --optimizer adam:prest=keras3
refused 'sparcl help optimizers lists them' train x -o m --optimizer adam:xyzzyx=1
refused '--optimizer: beta1: expected a number from 0 to less than 1, found "1"' train x -o m --optimizer adam:beta1=1
refused '--optimizer: decay: expected coupled, decoupled, global or inside, found "all"' train x -o m --optimizer sgd:decay=all
refused '--optimizer: sgd has no setting momentum; use "momentum:momentum=0.9"' train x -o m --optimizer sgd:momentum=0.9
refused '--optimizer: expected KEY=VALUE, found "lr"' train x -o m --optimizer sgd:lr
refused '--optimizer: preset: expected torch, mxnet,' train x -o m --optimizer sgd:preset=jax
refused '--optimizer: preset: dgl has no adam' train x -o m --optimizer adam:preset=dgl
refused '--index-base: expected one of auto|0|1' inspect x --index-base 2
refused '--epochs: expected an integer of at least 1, found "0"' train x -o m --epochs 0
refused '--epochs: expected' train x -o m --epochs -1
refused '--epochs: expected' train x -o m --epochs 1.5
refused '--epochs: expected' train x -o m --epochs 9223372036854775808
refused '--epochs: expected' train x -o m --epochs ''
refused '--batch: expected an integer of at least 1, or full, found "half"' train x -o m --batch half
refused '--lr: expected a number of at least 0, such as 0.1, found "-0.1"' train x -o m --lr -0.1
refused '--lr: expected' train x -o m --lr nan
refused '--lr: expected' train x -o m --lr 0x1
refused '--lr: expected' train x -o m --lr 1e999
refused '--lr: expected' train x -o m --lr 0,1
refused '--seed: expected an integer' train x -o m --seed 18446744073709551616
refused '--seed: expected' train x -o m --seed -1
refused '--device-memory: expected a size such as 16M' train x -o m --device-memory 16MB
refused '--device-memory: expected' train x -o m --device-memory 9999999999T
refused '--device-memory: expected a size such as 16M' train x -o m --device-memory 0
refused '--columns: expected an integer of at least 1' inspect x --columns 0
refused '--progress: expected one of auto|live|lines|none' train x -o m --progress fast
finish
